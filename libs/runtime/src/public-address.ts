import ipaddr from 'ipaddr.js';

// Ranges that ipaddr.js calls unicast although nothing public is there, or that carry an IPv4 address inside:
// IPv4-compatible, discard-only, NAT64 (both), 6to4, IETF protocol assignments with Teredo, SRv6, documentation, old site-local.
const DENIED = [
  '::/96',
  '100:0:0:1::/64',
  '64:ff9b::/96',
  '64:ff9b:1::/48',
  '2002::/16',
  '2001::/23',
  '2001:db8::/32',
  '3fff::/20',
  '5f00::/16',
  'fec0::/10',
].map((range) => ipaddr.IPv6.parseCIDR(range));
// Benchmarking and documentation.
const DENIED_V4 = ['192.0.0.0/24', '192.0.2.0/24', '192.88.99.0/24', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24', '240.0.0.0/4'].map((range) =>
  ipaddr.IPv4.parseCIDR(range),
);

const INNER_NAMES = ['localhost', 'internal', 'local'];
const URL_MAX_LENGTH = 2048;

/** Whether an IP address is one that anybody on the internet could reach (decision R9). */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false;
  const ip = ipaddr.process(address);
  if (ip.range() !== 'unicast') return false;
  return ip instanceof ipaddr.IPv6 ? !DENIED.some((range) => ip.match(range)) : !DENIED_V4.some((range) => (ip as ipaddr.IPv4).match(range));
}

/** Hosts that an operator allows although they are private: `host` for ports 80 and 443, `host:port` for that port (decision R9). */
export class AllowedHosts {
  private readonly hosts: ReadonlySet<string>;

  constructor(entries: readonly string[]) {
    this.hosts = new Set(
      entries.flatMap((entry) => (/:\d+$/.test(entry) ? [entry.toLowerCase()] : [`${entry.toLowerCase()}:80`, `${entry.toLowerCase()}:443`])),
    );
  }

  has(url: URL): boolean {
    return this.hosts.has(`${url.hostname.toLowerCase()}:${url.port || (url.protocol === 'https:' ? 443 : 80)}`);
  }
}

/**
 * What is wrong with a webhook's address, as a sentence; undefined when nothing is. Names are judged as far as they tell:
 * what DNS makes of them is looked at when a delivery connects (decision R9).
 */
export function webhookUrlProblem(text: string, allowed: AllowedHosts): string | undefined {
  if (text.length > URL_MAX_LENGTH) return `The webhook url must have at most ${URL_MAX_LENGTH} characters`;
  // The URL parser drops tabs and line breaks, mends missing slashes and reads `http:host`: none of that is an absolute address.
  if (!/^https?:\/\/[^/\\?#\s]/i.test(text) || !URL.canParse(text)) return 'The webhook url must be absolute, with http or https and a host';
  const url = new URL(text);
  if (url.username || url.password) return 'The webhook url must not contain credentials';
  if (allowed.has(url) || isPublicHost(url.hostname)) return undefined;
  return 'The host of the webhook url must be publicly reachable';
}

/** `hostname` as the URL parser gives it: lower case, punycode, any spelling of an IPv4 address made plain. */
function isPublicHost(hostname: string): boolean {
  const host = hostname.replace(/\.$/, '');
  if (host.startsWith('[')) return isPublicAddress(host.slice(1, -1));
  if (ipaddr.IPv4.isValidFourPartDecimal(host)) return isPublicAddress(host);
  const labels = host.split('.');
  return labels.length > 1 && !INNER_NAMES.includes(labels.at(-1) ?? '');
}
