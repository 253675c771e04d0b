import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Redis } from './redis.js';

const LEASE_MS = 15_000;
const RENEW_MS = 5000;

// A lease is a member whose score is its expiry, so that those of a dead gateway run out by themselves.
const NOW = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)`;

const TAKE = `${NOW}
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local used = redis.call('ZCARD', KEYS[1])
if used >= tonumber(ARGV[2]) then return { 0, used } end
redis.call('ZADD', KEYS[1], now + tonumber(ARGV[3]), ARGV[1])
redis.call('PEXPIRE', KEYS[1], ARGV[3])
return { 1, used + 1 }`;

const RENEW = `${NOW}
for index, key in ipairs(KEYS) do
  redis.call('ZADD', key, now + tonumber(ARGV[1]), ARGV[index + 1])
  redis.call('PEXPIRE', key, ARGV[1])
end
return {}`;

const RELEASE = `redis.call('ZREM', KEYS[1], ARGV[1]) return {}`;

const COUNT = `${NOW} return { redis.call('ZCOUNT', KEYS[1], '(' .. now, '+inf') }`;

/** A slot of an account; `used` is undefined when Redis could not be asked. */
export interface Slot {
  taken: boolean;
  used: number | undefined;
  release(): void;
}

/** Simultaneous synchronous requests of an account, over all gateways together (decision L2). */
@Injectable()
export class Concurrency implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly held = new Map<string, string>();
  private renewal: NodeJS.Timeout | undefined;

  constructor(@Inject(Redis) private readonly redis: Redis) {}

  onApplicationBootstrap(): void {
    this.renewal = setInterval(() => void this.renew(), RENEW_MS);
  }

  onApplicationShutdown(): void {
    clearInterval(this.renewal);
  }

  async take(accountId: string, requestId: string, limit: number): Promise<Slot> {
    const key = `slots:${accountId}`;
    const [taken, used] = (await this.redis.run(TAKE, [key], [requestId, limit, LEASE_MS])) ?? [];
    if (taken === 0) return { taken: false, used, release: () => undefined };
    this.held.set(requestId, key);
    return { taken: true, used, release: () => this.release(key, requestId) };
  }

  /** How many slots are in use; 0 when Redis could not be asked. */
  async used(accountId: string): Promise<number> {
    return (await this.redis.run(COUNT, [`slots:${accountId}`], []))?.[0] ?? 0;
  }

  private release(key: string, requestId: string): void {
    if (this.held.delete(requestId)) void this.redis.run(RELEASE, [key], [requestId]);
  }

  /** All leases of this gateway in one call; those that Redis forgot are there again afterwards. */
  private async renew(): Promise<void> {
    if (this.held.size === 0) return;
    await this.redis.run(RENEW, [...this.held.values()], [LEASE_MS, ...this.held.keys()]);
  }
}
