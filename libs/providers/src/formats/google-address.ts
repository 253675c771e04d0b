/** What to search, and from where. */
export interface SearchAddress {
  base: string;
  query: string;
  country: string;
  location?: string | undefined;
  uule?: string | undefined;
  /** The tab, as Google names it: `{ tbm: 'nws' }` for news, `{ udm: '50' }` for AI Mode. */
  tab?: Record<string, string>;
  /** From 1; ten results each. */
  page?: number;
}

/** The address of a page of results. */
export function searchAddress({ base, query, country, location, uule, tab = {}, page = 1 }: SearchAddress): string {
  const url = new URL(`${base.replace(/\/+$/, '')}/search`);
  const parameters = { q: query, gl: country.toLowerCase(), hl: languageOf(country), pws: '0', ...tab };
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  const place = uule ?? (location && encodeUule(location));
  if (place) url.searchParams.set('uule', place);
  if (page > 1) url.searchParams.set('start', String(10 * (page - 1)));
  return url.href;
}

/** A canonical place name as Google's `uule` parameter: base64 of a message with the fields 1 = 2, 2 = 32, 4 = the name. */
export function encodeUule(name: string): string {
  const bytes = Buffer.from(name);
  return `w+${Buffer.concat([Buffer.from([0x08, 2, 0x10, 32, 0x22, ...varint(bytes.length)]), bytes]).toString('base64')}`;
}

/** The place name in a `uule`; undefined when it holds none. */
export function decodeUule(uule: string): string | undefined {
  const bytes = Buffer.from(uule.replace(/^w[+ ]/, ''), 'base64');
  if (!/^w[+ ]/.test(uule) || bytes[4] !== 0x22) return undefined;
  let at = 5;
  while (at < bytes.length && bytes[at]! >= 0x80) at += 1;
  return bytes.subarray(at + 1).toString() || undefined;
}

function varint(value: number): number[] {
  return value < 0x80 ? [value] : [(value & 0x7f) | 0x80, ...varint(value >> 7)];
}

/** Where the language most people speak is not the one Google greets them in. */
const LANGUAGES: Record<string, string> = {
  IN: 'en',
  PK: 'en',
  PH: 'en',
  SG: 'en',
  ZA: 'en',
  NG: 'en',
  KE: 'en',
  GH: 'en',
  UG: 'en',
  MT: 'en',
  LU: 'fr',
  TW: 'zh-TW',
  HK: 'zh-TW',
  MO: 'zh-TW',
  CN: 'zh-CN',
  BR: 'pt-BR',
  PT: 'pt-PT',
};
/** Google's names for languages that have two. */
const OLD_NAMES: Record<string, string> = { nb: 'no', nn: 'no', he: 'iw', fil: 'tl', jv: 'jw' };
const LATIN_AMERICA = new Set(['AR', 'BO', 'CL', 'CO', 'CR', 'CU', 'DO', 'EC', 'GT', 'HN', 'MX', 'NI', 'PA', 'PE', 'PR', 'PY', 'SV', 'UY', 'VE']);

/** The language in which Google is asked from a country. */
export function languageOf(country: string): string {
  const known = LANGUAGES[country] ?? (LATIN_AMERICA.has(country) ? 'es-419' : undefined);
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  return known ?? OLD_NAMES[language] ?? language;
}
