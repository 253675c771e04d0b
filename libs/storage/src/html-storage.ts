import { randomBytes } from 'node:crypto';
import { Objm, type ObjectStore } from '@nats-io/obj';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import type { StorageConfig } from './config.js';

const NAME_BYTES = 24;
const NAME_FORM = /^[A-Za-z0-9_-]{32}$/;
const SWEEP_LAG_MS = 3_600_000;

export interface HtmlStorageOptions {
  connection: NatsConnection;
  bucket: string;
  replicas: number;
  config: StorageConfig;
}

/**
 * Pages that can be read for a while by whoever has their unguessable address (decision S15). The expiry written beside
 * a page decides, on the clock of whoever asks (the database's); the bucket's own age limit only sweeps up afterwards.
 */
export class HtmlStorage {
  private constructor(
    private readonly store: ObjectStore,
    private readonly config: StorageConfig,
    /** Makes the bucket anew if the server has lost its disk; safe to call at any time. */
    readonly restore: () => Promise<unknown>,
  ) {}

  static async open({ connection, bucket, replicas, config }: HtmlStorageOptions): Promise<HtmlStorage> {
    const create = () => new Objm(connection).create(bucket, { ttl: nanos(config.HTML_RETENTION + SWEEP_LAG_MS), replicas });
    return new HtmlStorage(await create(), config, create);
  }

  /** Stores a page made at `nowMs`, and gives its public address. */
  async put(html: string, nowMs: number): Promise<string> {
    const name = randomBytes(NAME_BYTES).toString('base64url');
    const expiresAt = nowMs + this.config.HTML_RETENTION;
    await this.store.putBlob({ name, metadata: { expiresAt: String(expiresAt) } }, new TextEncoder().encode(html));
    return `${this.config.STORAGE_URL}/${name}`;
  }

  /** The page of that name; undefined when there is none, or it has expired by `nowMs`. */
  async get(name: string, nowMs: number): Promise<Uint8Array | undefined> {
    if (!NAME_FORM.test(name)) return undefined;
    const info = await this.store.info(name);
    if (!info || info.deleted || Number(info.metadata?.['expiresAt']) <= nowMs) return undefined;
    return (await this.store.getBlob(name)) ?? undefined;
  }
}
