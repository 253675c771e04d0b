import { Inject, Injectable } from '@nestjs/common';
import { digestOf } from '@overheard/database';
import { LRUCache } from 'lru-cache';
import { ApiKeysRepository, type Caller } from './api-keys.repository.js';

// A revoked key is refused within a second on every gateway (decision A3), with nobody having to tell them.
const FRESH_MS = 700;
const KEYS_MAX = 10_000;
const TOUCH_MS = 60_000;

/** Who a key belongs to, asked at the database at most once in its fresh time however often it is used; unknown keys too. */
@Injectable()
export class KeyCache {
  private readonly callers = new LRUCache<string, { caller: Promise<Caller | undefined> }>({ max: KEYS_MAX, ttl: FRESH_MS });
  private readonly touched = new LRUCache<string, true>({ max: KEYS_MAX, ttl: TOUCH_MS });

  constructor(@Inject(ApiKeysRepository) private readonly keys: ApiKeysRepository) {}

  async find(key: string): Promise<Caller | undefined> {
    const digest = digestOf(key);
    const name = digest.toString('base64');
    const known = this.callers.get(name) ?? this.look(name, digest);
    const caller = await known.caller;
    if (caller) this.touch(caller.keyId);
    return caller;
  }

  private look(name: string, digest: Buffer): { caller: Promise<Caller | undefined> } {
    const entry = { caller: this.keys.find(digest) };
    this.callers.set(name, entry);
    // A failed look-up says nothing about the key.
    entry.caller.catch(() => this.callers.delete(name));
    return entry;
  }

  private touch(keyId: string): void {
    if (this.touched.has(keyId)) return;
    this.touched.set(keyId, true);
    void this.keys.touch(keyId).catch(() => this.touched.delete(keyId));
  }
}
