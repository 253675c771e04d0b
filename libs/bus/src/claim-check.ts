import { randomUUID } from 'node:crypto';
import type { ObjectStore } from '@nats-io/obj';

/** The largest payload that travels inside a message. NATS itself stops at 1 MiB. */
export const INLINE_MAX_BYTES = 256 * 1024;

/** The header that names the stored payload of a message without one. */
export const CLAIM_CHECK = 'Overheard-Claim-Check';

/**
 * Payloads too large for a message: left in an object store, fetched by the receiver, and removed by it once its work
 * is committed (the claim check pattern; architecture.md, libs/bus).
 */
export class ClaimCheck {
  constructor(private readonly store: ObjectStore) {}

  async leave(payload: Uint8Array): Promise<string> {
    const name = randomUUID();
    await this.store.putBlob({ name }, payload);
    return name;
  }

  /** Throws when it is gone, which is so when another receiver was quicker. */
  async fetch(name: string): Promise<Uint8Array> {
    const payload = await this.store.getBlob(name);
    if (!payload) throw new Error(`the payload ${name} is not in the transit store any more`);
    return payload;
  }

  async remove(name: string): Promise<void> {
    await this.store.delete(name);
  }
}
