const TRACKING = /^(?:utm_[a-z_]+|gclid|gbraid|wbraid|fbclid|msclkid|dclid|yclid|igshid|srsltid|mc_[ce]id|_hs(?:enc|mi)|oly_(?:anon|enc)_id)$/i;

/** An address without tracking parameters and text fragment; otherwise as it was written. */
export function cleanAddress(address: string): string {
  const [, page = '', query, fragment = ''] = /^([^?#]*)(?:\?([^#]*))?(#.*)?$/s.exec(address.trim()) ?? [];
  const parameters = (query ?? '').split('&').filter((parameter) => parameter && !TRACKING.test(parameter.split('=')[0]!));
  return page + (parameters.length ? `?${parameters.join('&')}` : '') + fragment.replace(/:~:text=.*$/s, '').replace(/^#$/, '');
}

/** An address as the link of a Markdown text has it. */
export const linkAddress = (address: string): string => (/[()\s]/.test(address) ? `<${address}>` : address);

/** Equal for two ways of writing the same address: letter case of the host, default port, final slash, percent-encoding and tracking apart. */
export function addressKey(address: string): string {
  const url = parseWebAddress(cleanAddress(address));
  if (!url) return address.trim();
  const path = url.pathname.split('/').map(reencode).join('/').replace(/\/+$/, '');
  return `${url.protocol}//${url.host}${path}?${new URLSearchParams(url.search)}${url.hash}`;
}

/** The site of an address, without `www.`; the address itself when it is none. */
export const domainOf = (address: string): string => parseWebAddress(address)?.hostname.replace(/^www\./, '') ?? address;

/** Whether a text is an address a browser can open. */
export const isWebAddress = (address: string): boolean => parseWebAddress(address) !== undefined;

function parseWebAddress(address: string): URL | undefined {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function reencode(segment: string): string {
  try {
    return encodeURIComponent(decodeURIComponent(segment));
  } catch {
    return encodeURIComponent(segment);
  }
}
