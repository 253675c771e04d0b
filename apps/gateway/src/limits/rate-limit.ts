import { Inject, Injectable } from '@nestjs/common';
import { Redis } from './redis.js';

/** One more request in this clock second of Redis. */
const COUNT = `
local time = redis.call('TIME')
local key = KEYS[1] .. ':' .. time[1]
local count = redis.call('INCR', key)
if count == 1 then redis.call('PEXPIRE', key, 2000) end
return { count, time[2] }`;

export interface RateState {
  allowed: boolean;
  remaining: number;
  resetSeconds: number;
}

/** Requests of an account in each clock second, over all routes and gateways together (decision L1). */
@Injectable()
export class RateLimit {
  constructor(@Inject(Redis) private readonly redis: Redis) {}

  async count(accountId: string, limit: number): Promise<RateState> {
    const [count, microseconds] = (await this.redis.run(COUNT, [`rate:${accountId}`], [])) ?? [];
    if (count === undefined || microseconds === undefined) return { allowed: true, remaining: limit, resetSeconds: 1 };
    return { allowed: count <= limit, remaining: Math.max(0, limit - count), resetSeconds: Math.round(1 - microseconds / 1_000_000) };
  }
}
