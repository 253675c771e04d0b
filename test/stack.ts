import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll } from '@jest/globals';
import type { Bus } from '@overheard/bus';
import type { WorkMessage } from '@overheard/contracts';
import { createAccount, createKey, type Database, listRequests, type NewAccount, type NewKey, type RequestEntry, showAccount } from '@overheard/database';
import { addressOf, createTestBus, createTestDatabase, type TestBus, type TestDatabase } from '@overheard/testing';
import { choosePorts } from '../scripts/lib/ports.mjs';
import { programOf } from '../scripts/lib/services.mjs';
import { ApiClient } from './api-client.js';
import { Link } from './link.js';
import type { OwnServers } from './own-servers.js';
import { ProgramProcess } from './program-process.js';
import { type Ending, standInWorker } from './stand-in-worker.js';

export { ApiClient, type Reply } from './api-client.js';

/** In the order in which they are ended. */
const SERVICES = ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'] as const;
export type ServiceName = (typeof SERVICES)[number];

const CORE: readonly ServiceName[] = ['gateway', 'worker', 'task-store', 'sandbox'];
const STACK_WITHIN_MS = 180_000;

/** The servers that a stack can be cut off from. */
export type ServerName = 'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL';

export interface StackOptions {
  /** Those that are started; by default all that a prompt passes on its way to its answer. */
  services?: readonly ServiceName[];
  /** Settings of all services beside what the stack gives them. */
  env?: Record<string, string>;
  /** Whether the services reach their servers by ways that can be cut. */
  cuttable?: boolean;
  /** Servers that are started for this stack, and may be harmed; by default it lives on those of the whole test run. */
  servers?: OwnServers;
}

/** An account with a key, and the API as the key's holder sees it. */
export interface Tenant extends ApiClient {
  accountId: string;
  keyId: string;
  key: string;
}

/** An upstream call as the sandbox tells of it. */
export interface UpstreamCall {
  provider: string;
  country: string | null;
  attempt: number;
  status: number | null;
}

/** The built services as processes, on a database, streams and keys of their own that go when they do. */
export class Stack {
  database!: Database;
  bus!: Bus;
  baseUrl!: string;
  sandboxUrl!: string;
  dashboardUrl!: string;
  private testDatabase: TestDatabase | undefined;
  private testBus: TestBus | undefined;
  private readonly processes = new Map<ServiceName, ProgramProcess>();
  private readonly more: ProgramProcess[] = [];
  private common: NodeJS.ProcessEnv = {};
  private readonly links = new Map<string, Link>();
  private standIn: { close(): Promise<void> } | undefined;

  constructor(private readonly options: StackOptions) {}

  async start(): Promise<this> {
    try {
      if (this.options.servers) Object.assign(process.env, await this.options.servers.start());
      [this.testDatabase, this.testBus] = await Promise.all([createTestDatabase(), createTestBus(this.options.env)]);
      this.database = this.testDatabase.database;
      this.bus = this.testBus.bus;
      await this.plan(this.testDatabase, this.testBus);
      await Promise.all([...this.processes.values()].map((process) => process.start()));
      return this;
    } catch (error) {
      await this.stop();
      throw error;
    }
  }

  /** Ends everything and removes what it has left. */
  async stop(): Promise<void> {
    await this.standIn?.close();
    const ended = await Promise.allSettled([...this.processes.values(), ...this.more].map((process) => process.stop()));
    for (const link of this.links.values()) await link.cut();
    // Servers of its own go with all that is on them.
    if (this.options.servers) await Promise.all([this.database?.destroy(), this.bus?.close(), this.options.servers.stop()]);
    else await Promise.all([this.testDatabase?.drop(), this.testBus?.remove()]);
    for (const end of ended) if (end.status === 'rejected') throw end.reason;
  }

  kill = (name: ServiceName, signal?: NodeJS.Signals): Promise<void> => this.service(name).kill(signal);
  restart = (name: ServiceName, env?: NodeJS.ProcessEnv): Promise<void> => this.service(name).start(env);
  /** Ends a service as an operator does, and gives its exit status. */
  end = (name: ServiceName): Promise<number | null> => this.service(name).stop();
  healthUrl = (name: ServiceName): string => `http://127.0.0.1:${this.service(name).program.env['HEALTH_PORT']}`;
  /** A server is away for all services, but not for the test; or it is there and silent. */
  cut = (server: ServerName): Promise<void> => this.link(server).cut();
  stall = async (server: ServerName): Promise<void> => this.link(server).stall();
  /** A way to a server of its own, for one instance of a service. */
  ownLink = async (server: ServerName): Promise<Link> => {
    const link = await Link.to(String(this.common[server]));
    this.links.set(`${server} ${this.links.size}`, link);
    return link;
  };
  /** The way of all services to a server. */
  way = (server: ServerName): Link => this.link(server);
  mend = (server: ServerName): Promise<void> => this.link(server).mend();
  /** The log of a service: one object a line. */
  log = (name: ServiceName): Record<string, any>[] => this.service(name).lines.flatMap((line) => (line.startsWith('{') ? [JSON.parse(line)] : []));

  /** Takes the place of the workers: says of each task how it ended, instead of running it. */
  async work(end: (work: WorkMessage) => Ending | Promise<Ending>): Promise<void> {
    this.standIn = await standInWorker(this.bus, end);
  }

  /** An account with credits and a key. */
  async tenant(account: Partial<NewAccount> = {}, key: Partial<NewKey> = {}): Promise<Tenant> {
    const { accountId } = await createAccount(this.database, { name: 'tenant', credits: 1_000_000, ...account });
    return this.anotherKey(accountId, key);
  }

  /** One more key of an account. */
  async anotherKey(accountId: string, key: Partial<NewKey> = {}): Promise<Tenant> {
    const made = await createKey(this.database, { accountId, ...key });
    return Object.assign(this.as(made.key), { ...made, accountId });
  }

  /** The API as the holder of that key sees it, or without any. */
  as = (key?: string): ApiClient => new ApiClient(this.baseUrl, key);

  /** Credits of an account as they stand. */
  async credits(accountId: string): Promise<{ granted: number; balance: number; reserved: number; charged: number }> {
    const { granted, balance, reserved, charged } = await showAccount(this.database, accountId);
    return { granted, balance, reserved, charged };
  }

  requestLog = (accountId: string): Promise<RequestEntry[]> => listRequests(this.database, accountId, 1000);

  /** The upstream calls that were made with a nonce. */
  calls = async (nonce: string): Promise<UpstreamCall[]> => (await fetch(`${this.sandboxUrl}/_calls?nonce=${nonce}`)).json() as Promise<UpstreamCall[]>;

  /** The process of a service. */
  service(name: ServiceName): ProgramProcess {
    const process = this.processes.get(name);
    if (!process) throw new Error(`${name} is no part of this stack`);
    return process;
  }

  /** Starts one more instance of a service beside the first. */
  async another(name: ServiceName, env: NodeJS.ProcessEnv = {}): Promise<ProgramProcess> {
    const { port = 0, health = 0 } = await choosePorts(['port', 'health'], {});
    const process = this.processOf(name, { port, health }, env);
    this.more.push(process);
    await process.start();
    return process;
  }

  private processOf(name: ServiceName, { port, health }: { port: number; health: number }, env: NodeJS.ProcessEnv = {}): ProgramProcess {
    const own = { ...this.common, ...env, PORT: String(port), HEALTH_PORT: String(health) };
    return new ProgramProcess(programOf({ name, app: name, listedAs: [name], healthPort: health, env: own }));
  }

  private link(server: ServerName): Link {
    const link = this.links.get(server);
    if (!link) throw new Error('this stack is not cuttable');
    return link;
  }

  private async serverAddresses(servers: Record<ServerName, string>): Promise<Record<ServerName, string>> {
    if (!this.options.cuttable) return servers;
    for (const [name, address] of Object.entries(servers)) this.links.set(name as ServerName, await Link.to(address));
    return Object.fromEntries([...this.links].map(([name, { address }]) => [name, address])) as Record<ServerName, string>;
  }

  private async plan({ settings: database }: TestDatabase, { settings: bus }: TestBus): Promise<void> {
    const { services = CORE, env = {} } = this.options;
    const ports = await choosePorts(
      SERVICES.flatMap((name) => [name, `${name}-health`]),
      {},
    );
    this.baseUrl = `http://127.0.0.1:${ports['gateway']}`;
    this.sandboxUrl = `http://127.0.0.1:${ports['sandbox']}`;
    this.dashboardUrl = `http://127.0.0.1:${ports['dashboard']}`;
    this.common = {
      PATH: process.env['PATH'],
      BROWSER_EXECUTABLE: process.env['BROWSER_EXECUTABLE'],
      PARENT_STDIN: '1',
      ...(await this.serverAddresses({ DATABASE_URL: database.DATABASE_URL, NATS_URL: bus.NATS_URL, REDIS_URL: addressOf('REDIS_URL') })),
      DATABASE_POOL: '5',
      NATS_PREFIX: bus.NATS_PREFIX,
      NATS_STREAM_MAX_BYTES: String(bus.NATS_STREAM_MAX_BYTES),
      // Whatever is written under it is gone by itself after seconds.
      REDIS_PREFIX: bus.NATS_PREFIX,
      STORAGE_URL: `${this.baseUrl}/html`,
      GATEWAY_URL: this.baseUrl,
      SANDBOX_URL: this.sandboxUrl,
      UPSTREAM_FALLBACK: 'sandbox',
      PROVIDERS: 'CHATGPT',
      WEBHOOK_ALLOWED_HOSTS: new URL(this.sandboxUrl).host,
      ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      ...env,
    };
    for (const name of SERVICES.filter((service) => services.includes(service)))
      this.processes.set(name, this.processOf(name, { port: Number(ports[name]), health: Number(ports[`${name}-health`]) }));
  }
}

export const startStack = (options: StackOptions = {}): Promise<Stack> => new Stack(options).start();

/** A stack for the tests of a file: started before the first, removed after the last. */
export function useStack(options: StackOptions = {}): Stack {
  const stack = new Stack(options);
  beforeAll(async () => void (await stack.start()), STACK_WITHIN_MS);
  afterAll(() => stack.stop(), STACK_WITHIN_MS);
  return stack;
}
