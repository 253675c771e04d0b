import type { LookupAddress } from 'node:dns';
import { Resolver } from 'node:dns/promises';
import { isPublicAddress } from '@overheard/runtime';

/** A receiver's name leads nowhere, or to where nobody on the internet could go; the message says which. */
export class LookupFailed extends Error {
  override name = 'LookupFailed';
}

// Names are asked of the name servers themselves: getaddrinfo runs on four threads, and four names whose servers are silent would
// hold up everybody's deliveries. So /etc/hosts counts only for the hosts that the operator allows.
const RESOLVER_OPTIONS = { timeout: 1500, tries: 2 };

/** Finds a name's addresses and refuses them all when any of them is not public (decision R9). Rejects with `LookupFailed`. */
export const publicLookup =
  (resolver: Resolver = new Resolver(RESOLVER_OPTIONS)) =>
  async (hostname: string): Promise<LookupAddress[]> => {
    const [four, six] = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
    const found = (settled: PromiseSettledResult<string[]>, family: 4 | 6) =>
      settled.status === 'fulfilled' ? settled.value.map((address) => ({ address, family })) : [];
    const addresses = [...found(four, 4), ...found(six, 6)];
    if (addresses.length === 0) throw new LookupFailed(`DNS: ${wordsFor(four.status === 'rejected' ? four.reason : undefined)}`);
    // Where it leads is not told: the owner of the webhook could map the inner network with it.
    if (!addresses.every(({ address }) => isPublicAddress(address))) throw new LookupFailed('blocked address: the host is not publicly reachable');
    return addresses;
  };

function wordsFor(error: NodeJS.ErrnoException | undefined): string {
  switch (error?.code) {
    case 'ENOTFOUND':
      return 'there is no such host';
    case undefined:
    case 'ENODATA':
      return 'the host has no address';
    case 'ETIMEOUT':
      return 'no answer in time';
    default:
      return `the host can not be looked up (${error?.code})`;
  }
}
