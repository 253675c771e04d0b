import { appendFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { until } from '@overheard/testing';
import { recordProcesses } from '../scripts/lib/leftovers.mjs';
import { nats } from '../scripts/lib/nats.mjs';
import { choosePorts } from '../scripts/lib/ports.mjs';
import { postgres } from '../scripts/lib/postgres.mjs';
import { silently } from '../scripts/lib/progress.mjs';
import { redis } from '../scripts/lib/redis.mjs';
import { deadlocksIn, openRunFolder, removeRunFolder } from '../scripts/lib/run-servers.mjs';
import type { Place, Provided } from '../scripts/lib/servers.mjs';
import { seedOf } from '../scripts/lib/seed.mjs';
import { talk } from '../scripts/lib/talk.mjs';
import { packagesDir } from '../scripts/lib/workspace.mjs';
import { readJson } from '../scripts/lib/write-whole.mjs';
import { ProgramProcess } from './program-process.js';

export interface OwnServersOptions {
  /** How many NATS servers there are; more than one are a cluster. */
  natsServers?: number;
  /** Hears of the data folder before anything is in it. */
  prepare?: (dataDir: string) => void;
  /** Hears of it once its servers are gone, before it is removed. */
  cleanUp?: (dataDir: string) => void;
}

type Addresses = Record<'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL', string>;

/** PostgreSQL, NATS and Redis of one test file's own, as `npm start` has them, which it may kill, freeze, empty and start again. */
export class OwnServers {
  postgres!: ProgramProcess;
  redis!: ProgramProcess;
  /** The first of them, where there are several. */
  nats!: ProgramProcess;
  cluster: ProgramProcess[] = [];
  addresses!: Addresses;
  private dataDir = '';

  constructor(private readonly options: OwnServersOptions = {}) {}

  async start(): Promise<Addresses> {
    this.dataDir = openRunFolder();
    this.options.prepare?.(this.dataDir);
    const size = this.options.natsServers ?? 1;
    const names = Array.from({ length: size }, (_none, index) => `nats${index}`);
    const ports = await choosePorts(['postgres', 'redis', ...names, ...names.map((name) => `${name}-route`)], {});
    const place = (key: string, folder = this.dataDir): Place => ({
      dataDir: folder,
      packagesDir,
      port: Number(ports[key]),
      password: seedOf(this.dataDir).serverPassword,
      logFile: join(this.dataDir, `${key}.log`),
      durable: true,
      progress: silently,
    });
    const [database, cache] = [found(await postgres(place('postgres'))), found(await redis(place('redis')))];
    const buses: Provided[] = [];
    for (const name of names) {
      const folder = size === 1 ? this.dataDir : join(this.dataDir, name);
      mkdirSync(folder, { recursive: true });
      buses.push(found(await nats(place(name, folder))));
      const routes = names.map((other) => `nats://127.0.0.1:${ports[`${other}-route`]}`);
      // Of a setting that is there twice the later one counts.
      if (size > 1)
        appendFileSync(
          join(folder, 'nats.conf'),
          `server_name: "${name}"\ncluster { name: "chaos", listen: "127.0.0.1:${ports[`${name}-route`]}", routes: ${JSON.stringify(routes)} }\n`,
        );
    }
    this.postgres = new ProgramProcess(database.program);
    this.redis = new ProgramProcess(cache.program);
    this.cluster = buses.map(({ program }) => new ProgramProcess(program));
    this.nats = this.cluster[0] as ProgramProcess;
    await Promise.all(this.all.map((server) => server.start()));
    recordProcesses(this.dataDir, this.all);
    this.addresses = { DATABASE_URL: database.url, NATS_URL: buses.map(({ url }) => url).join(','), REDIS_URL: cache.url };
    return this.addresses;
  }

  /** Starts a server again; PostgreSQL refuses for as long as the last processes of its former life still end. */
  async restart(server: ProgramProcess): Promise<void> {
    await until(`${server.program.name} to be there again`, () =>
      server.start().then(
        () => true,
        () => false,
      ),
    );
    recordProcesses(this.dataDir, this.all);
  }

  /** Where JetStream keeps what it holds. */
  get natsStore(): string {
    return join(this.dataDir, 'nats');
  }

  /** Where PostgreSQL keeps what it holds. */
  get postgresFolder(): string {
    return readJson(join(this.dataDir, 'postgres.json'))?.folder ?? this.dataDir;
  }

  /** Redis forgets everything. */
  async flushRedis(): Promise<void> {
    const { hostname, port, password } = new URL(this.addresses.REDIS_URL);
    const answer = await talk({ host: hostname, port: Number(port) }, `AUTH ${password}\r\nFLUSHALL\r\n`);
    if (!answer.startsWith('+OK')) throw new Error(`Redis does not forget: ${answer}`);
  }

  async stop(): Promise<void> {
    for (const server of this.all) server.goOn();
    await Promise.all(this.all.map((server) => server.stop()));
    const deadlocks = deadlocksIn(join(this.dataDir, 'postgres.log'));
    this.options.cleanUp?.(this.dataDir);
    removeRunFolder(this.dataDir);
    if (deadlocks.length > 0) throw new Error(`transactions waited for each other in a circle:\n${deadlocks.join('')}`);
  }

  private get all(): ProgramProcess[] {
    return [this.postgres, this.redis, ...this.cluster].filter(Boolean);
  }
}

function found(provided: Provided | undefined): Provided {
  if (!provided) throw new Error('a server is neither on this machine nor fetched: run npm test, which fetches it');
  return provided;
}
