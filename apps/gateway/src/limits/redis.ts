import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { counterFromZero, type Logger, withinMs } from '@overheard/runtime';
import { createClient } from 'redis';
import type { Config } from '../config.js';
import { CONFIG, LOGGER } from '../tokens.js';

const ANSWER_WITHIN_MS = 500;
const ASK_AGAIN_MS = 1000;
/** A busy moment, its own or ours, is no outage. */
const AWAY_AFTER_MS = 500;
const RECONNECT_MAX_MS = 1000;

/**
 * Runs scripts in Redis, and does without it when it is away: limits then fail open with a warning and a count (decision
 * L5). Redis holds nothing that can't be lost.
 */
@Injectable()
export class Redis implements OnApplicationShutdown {
  private readonly client;
  private readonly lost = counterFromZero('limits', 'redis_unavailable_total', 'Limits that were not checked because Redis was away');
  /** On the clock of `performance.now()`, as the next; undefined while it answers. */
  private failingSince: number | undefined;
  private askAgainAt = 0;

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.client = createClient({
      url: config.REDIS_URL,
      disableOfflineQueue: true,
      // Of its own it makes a signal and an exception for each command, and the limit ends with the sending (see `run`).
      commandOptions: { timeout: 0 },
      socket: { reconnectStrategy: (tries) => Math.min(RECONNECT_MAX_MS, 50 * 2 ** tries) },
    });
    this.client.on('error', (error: Error) => this.note(error));
    this.client.on('ready', () => this.noteBack());
    void this.client.connect().catch((error: Error) => this.note(error));
  }

  /** A script's answer; undefined when Redis gave none. Keys are given without the deployment's prefix. */
  async run(script: string, keys: string[], values: (string | number)[]): Promise<number[] | undefined> {
    if (this.isKnownToBeAway()) return this.goWithout();
    try {
      const named = keys.map((key) => `${this.config.REDIS_PREFIX}:${key}`);
      // A server that is silent would hold up every request.
      const answer = await withinMs(ANSWER_WITHIN_MS, this.client.eval(script, { keys: named, arguments: values.map(String) }));
      this.noteBack();
      return (answer as unknown[]).map(Number);
    } catch (error) {
      this.note(error);
      return this.goWithout();
    }
  }

  /** Then one request in a second finds out whether it is back; the others are not held up. */
  private isKnownToBeAway(): boolean {
    const now = performance.now();
    if (this.failingSince === undefined || now - this.failingSince < AWAY_AFTER_MS) return false;
    if (now < this.askAgainAt) return true;
    this.askAgainAt = now + ASK_AGAIN_MS;
    return false;
  }

  private goWithout(): undefined {
    this.lost.add(1);
  }

  async onApplicationShutdown(): Promise<void> {
    this.client.destroy();
  }

  private noteBack(): void {
    this.failingSince = undefined;
  }

  /** One line when it goes away, not one a request. */
  private note(error: unknown): void {
    if (this.failingSince !== undefined) return;
    this.failingSince = performance.now();
    this.logger.warn({ err: error }, 'Redis is away: rate and concurrency are not limited');
  }
}
