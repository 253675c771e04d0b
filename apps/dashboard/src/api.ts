import type { Quality, Role, Scope, StandardError } from '@overheard/contracts';

// The JSON API between the pages and their server: types and addresses only, so that the pages can import it too.
// Times are ISO 8601 texts. A GET takes its question as the query, every change is a POST with a JSON body (`{}` when there is nothing to say).
// A session is a cookie that the pages never see. Without one every route but `session`, `setup` and `login` answers 401.

/** Addresses. Those that end in `Of` need an id. */
export const ROUTES = {
  /** GET → `Session`; never 401. */
  session: '/api/session',
  /** POST `SetupBody` → `Session`: makes the first account and its owner; 409 once somebody is there. */
  setup: '/api/setup',
  /** POST `LoginBody` → `Session`; 401 when they do not belong together, 429 with `Retry-After` after too many tries. */
  login: '/api/login',
  /** POST → `Session` (`state: 'login'`). */
  logout: '/api/logout',
  /** POST `SwitchBody` → `Session`. */
  switchAccount: '/api/account',
  /** POST `PasswordBody` → `Session`: ends all other sessions of this person. */
  password: '/api/password',

  /** GET → `People`. POST `InviteBody` → `Person` (owner). */
  people: '/api/people',
  /** POST `RoleBody` → `Person` (owner); 409 for the last owner. */
  roleOf: (personId: string) => `/api/people/${personId}/role`,
  /** POST → `{}` (owner); 409 for the last owner. */
  removalOf: (personId: string) => `/api/people/${personId}/remove`,
  /** GET `PageQuery` → `AuditPage` (owner). */
  audit: '/api/audit',

  /** GET `RequestsQuery` → `RequestsPage`. */
  requests: '/api/requests',
  /** GET `RequestFilters` → a file. */
  requestsCsv: '/api/requests.csv',
  /** GET `RequestFilters` → a file: one `ExportedRequest` a line. */
  requestsNdjson: '/api/requests.ndjson',
  /** GET → `RequestDetail`. */
  requestOf: (requestId: string) => `/api/requests/${requestId}`,
  /** POST → `Started` (member): the same payload once more, as a task; 409 when the payload is gone. */
  againOf: (requestId: string) => `/api/requests/${requestId}/again`,

  /** GET → `Provider[]`. */
  providers: '/api/providers',
  /** POST `PlaygroundBody` → `Started` (member); then read `requestOf(requestId)` until it is over. */
  playground: '/api/playground',
  /** POST `PlaygroundBody` → `Estimate` (member). */
  estimate: '/api/estimate',

  /** GET → `Keys`. POST `NewKeyBody` → `CreatedKey` (owner). */
  keys: '/api/keys',
  /** POST → `Key` (owner). */
  revocationOf: (keyId: string) => `/api/keys/${keyId}/revoke`,

  /** GET → `Signing`. */
  signing: '/api/signing',
  /** POST → `Signing` with its secret, if it was off (owner). */
  signingEnable: '/api/signing/enable',
  /** POST → `Signing` with its new secret (owner); 409 where it is off. */
  signingRotate: '/api/signing/rotate',
  /** POST → `Signing` (owner). */
  signingDisable: '/api/signing/disable',
  /** GET `DeliveriesQuery` → `DeliveriesPage`. */
  deliveries: '/api/deliveries',
  /** GET → `DeliveryDetail`. */
  deliveryOf: (deliveryId: string) => `/api/deliveries/${deliveryId}`,
  /** POST → `Delivery` (member); 409 when its body is gone. */
  redeliveryOf: (deliveryId: string) => `/api/deliveries/${deliveryId}/redeliver`,
  /** POST `TestDeliveryBody` → `Delivery` (member). */
  testDelivery: '/api/deliveries/test',

  /** GET → `Queue`. */
  queue: '/api/queue',
  /** GET `RangeQuery` → `Usage`. */
  usage: '/api/usage',
  /** GET `PerformanceQuery` → `Performance`. */
  performance: '/api/performance',
  /** GET → `Status`. */
  status: '/api/status',
} as const;

/** Every answer that is no success: a sentence for the reader, and what is wrong with which field (dotted, as in the body). */
export interface Problem {
  error: { message: string; fields?: Record<string, string> };
}

/** A viewer reads; a member also acts (runs, redelivers); an owner also manages keys, people and signing. */
export type { Role };

// ---- Session

export type Session =
  /** Nobody is there yet: show the first-run set-up. */
  | { state: 'setup' }
  | { state: 'login' }
  | {
      state: 'in';
      person: { id: string; email: string };
      account: AccountOfPerson;
      /** All accounts of this person, by name. */
      accounts: AccountOfPerson[];
      /** Where clients reach the API, without a slash at its end. */
      apiUrl: string;
    };

export interface AccountOfPerson {
  id: string;
  name: string;
  role: Role;
}

export interface SetupBody {
  accountName: string;
  email: string;
  /** 12 to 200 characters, like every new password. */
  password: string;
}

export interface LoginBody {
  email: string;
  password: string;
}

export interface SwitchBody {
  accountId: string;
}

export interface PasswordBody {
  current: string;
  next: string;
}

// ---- People

export interface Person {
  id: string;
  email: string;
  role: Role;
  /** Since when they belong to this account. */
  since: string;
  /** Whoever is logged in. */
  isSelf: boolean;
}

export interface People {
  people: Person[];
}

/** Makes a person of this account. Somebody who has a login already (another account's) keeps their password, and the one given here is not used. */
export interface InviteBody {
  email: string;
  password: string;
  role: Role;
}

export interface RoleBody {
  role: Role;
}

/** A page of a list that is newest first. */
export interface PageQuery {
  /** `nextCursor` of the page before. */
  cursor?: string;
  /** 1 to 200, by default 50. */
  limit?: number;
}

export type AuditAction =
  | 'account.created'
  | 'person.added'
  | 'person.role_changed'
  | 'person.removed'
  | 'person.password_changed'
  | 'key.created'
  | 'key.revoked'
  | 'signing.enabled'
  | 'signing.rotated'
  | 'signing.disabled'
  | 'request.run'
  | 'request.run_again'
  | 'delivery.redelivered'
  | 'delivery.test_sent';

export interface AuditEntry {
  id: string;
  at: string;
  /** E-mail address of whoever did it. */
  person: string;
  action: AuditAction;
  /** What it was done to, as a reader names it: an e-mail address, a key's name, an id. */
  subject: string;
  /** What else is to be known, such as the new role. */
  detail: string | null;
}

export interface AuditPage {
  entries: AuditEntry[];
  nextCursor: string | null;
}

// ---- Requests

export type RequestStatus = 'in_progress' | 'ok' | 'failed' | 'refused';

export interface RequestFilters {
  provider?: string;
  /** A `RequestStatus`, or a status code such as 502. */
  status?: string;
  country?: string;
  /** A key's id. */
  key?: string;
  mode?: 'sync' | 'async';
  /** From this moment on, and until before that one. */
  from?: string;
  to?: string;
  /** An id or how it begins (8 characters or more); anything else is looked for word by word in the prompts. */
  search?: string;
}

/**
 * The live list: ask for the first page once, then every 2 s with `since` (the newest id shown), which gives what is newer
 * (and some of the last minute once more: merge by id), and with `ids` for those shown that are in progress.
 */
export interface RequestsQuery extends RequestFilters, PageQuery {
  since?: string;
  /** Up to 200 ids, separated by commas. */
  ids?: string;
}

export interface RequestEntry {
  id: string;
  /** Null for a refused request that named none. */
  provider: string | null;
  mode: 'sync' | 'async';
  /** How the prompt begins: at most 300 characters. */
  prompt: string | null;
  country: string | null;
  status: RequestStatus;
  /** Null while it is in progress. */
  statusCode: number | null;
  /** Held while it is in progress. */
  creditsToCharge: number;
  /** Null while it is in progress. */
  creditsCharged: number | null;
  latencyMs: number | null;
  createdAt: string;
  /** A test key's request: free, answered by the sandbox. */
  test: boolean;
  key: KeyOfRequest;
}

/** Whose key a request was made with. A run from these pages has a key without a name, and the person instead. */
export interface KeyOfRequest {
  id: string;
  name: string | null;
  person: string | null;
}

export interface RequestsPage {
  requests: RequestEntry[];
  nextCursor: string | null;
}

export interface RequestDetail extends RequestEntry {
  /** The whole prompt. */
  prompt: string | null;
  /** The validated payload; null for a refused request, and once the task has expired. */
  payload: Record<string, unknown> | null;
  priority: number;
  idempotencyKey: string | null;
  webhookUrl: string | null;
  /** Where the answer came from; null until that is known. */
  upstream: 'live' | 'sandbox' | null;
  timeline: TimelineEvent[];
  /** Waiting in the queue, with the upstream (all attempts), and reading its answer; null until it is over. */
  timings: { queueMs: number; upstreamMs: number; parseMs: number } | null;
  /** The result as JSON text, exactly as clients get it; its `rawResponse` and `html` are there when they were asked for. */
  result: string | null;
  quality: Quality | null;
  error: StandardError | null;
  /** Until when the answer is kept; `isExpired` when payload and answer are gone. */
  expiresAt: string | null;
  isExpired: boolean;
  /** What to send to ask the same again with a key of one's own; null when the payload is gone. */
  call: { method: 'POST'; url: string; body: Record<string, unknown> } | null;
  deliveries: Delivery[];
}

/** One thing that happened, in order of time. `ms` is how long it took, where that is known. */
export type TimelineEvent = { at: string; ms: number | null } & (
  | { kind: 'queued' }
  | { kind: 'published' }
  /** A worker took it up. */
  | { kind: 'started' }
  /** `reason` is null for the attempt that brought the answer. */
  | { kind: 'attempt'; attempt: number; reason: string | null; message: string | null }
  | { kind: 'completed' | 'failed' | 'refused'; statusCode: number }
  | { kind: 'delivery'; deliveryId: string; attempt: number; statusCode: number | null; error: string | null }
);

/** A line of an export. */
export interface ExportedRequest {
  id: string;
  createdAt: string;
  provider: string | null;
  mode: 'sync' | 'async';
  country: string | null;
  prompt: string | null;
  status: RequestStatus;
  statusCode: number | null;
  creditsCharged: number | null;
  latencyMs: number | null;
  test: boolean;
  keyId: string;
  keyName: string | null;
  person: string | null;
}

// ---- Playground

export interface Provider {
  id: string;
  label: string;
  /** Path of the synchronous endpoint, such as `/v1/monitor/…`. */
  path: string;
  countries: string[];
  /** Name of the field that holds what is asked. */
  promptField: string;
  /** JSON Schema (2020-12) of the payload as it is sent. */
  schema: Record<string, unknown>;
  /** What an option costs by itself beside the base price, by dotted path. Options that are free are not named. `estimate` tells the sum. */
  optionCredits: Record<string, number>;
}

export interface PlaygroundBody {
  provider: string;
  payload: Record<string, unknown>;
  /** With a test key: free, answered by the sandbox. By default false. */
  test?: boolean;
}

export interface Started {
  requestId: string;
}

export interface Estimate {
  creditsToCharge: number;
  lineItems: { item: string; credits: number }[];
}

// ---- Keys

export interface Key {
  id: string;
  name: string;
  lastFour: string;
  test: boolean;
  /** Null: all of them, also later ones. */
  scopes: Scope[] | null;
  /** E-mail address; null for a key made on the command line. */
  createdBy: string | null;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
  revokedAt: string | null;
}

export interface Keys {
  keys: Key[];
  /** Those there are to choose from. */
  scopes: readonly Scope[];
}

export interface NewKeyBody {
  name: string;
  /** Absent: all of them, also later ones. */
  scopes?: Scope[];
  /** Absent: never. */
  expiresInDays?: number;
  test?: boolean;
}

export interface CreatedKey {
  key: Key;
  /** The key itself; it is never shown again. */
  secret: string;
}

// ---- Webhooks

export interface Signing {
  enabled: boolean;
  /** Since when the present secret signs. */
  since: string | null;
  /** Only in the answer that made it. */
  secret?: string;
}

export interface DeliveriesQuery extends PageQuery {
  status?: DeliveryStatus;
  /** The task's id. */
  requestId?: string;
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  id: string;
  /** The task's id; a test delivery's task never was. */
  requestId: string;
  url: string;
  status: DeliveryStatus;
  nextAttemptAt: string | null;
  /** Those that are over, in order. */
  attempts: DeliveryAttempt[];
}

export interface DeliveryAttempt {
  attempt: number;
  at: string;
  statusCode: number | null;
  durationMs: number | null;
  error: string | null;
}

export interface DeliveriesPage {
  deliveries: Delivery[];
  nextCursor: string | null;
}

export interface DeliveryDetail extends Delivery {
  createdAt: string;
  expiresAt: string;
  /** What is sent; null once the task has expired. */
  body: string | null;
  /** `answer` is how the receiver's answer begins. */
  attempts: (DeliveryAttempt & { answer: string | null })[];
}

export interface TestDeliveryBody {
  url: string;
}

// ---- Queue, usage, status

export interface Queue {
  /** Tasks of this account that are not over. */
  outstanding: OutstandingTasks[];
  /** When the one that waits longest was made. */
  oldestAt: string | null;
  /** Workers that answered just now, of the whole deployment; null when the bus is away and nobody can tell. */
  workers: WorkerAlive[] | null;
}

export interface OutstandingTasks {
  provider: string;
  priority: number;
  waiting: number;
  processing: number;
  oldestAt: string;
}

export interface WorkerAlive {
  id: string;
  since: string;
  providers: { provider: string; upstream: Upstream; slots: number; running: number }[];
}

/** `none`: no credentials, so its tasks fail at once, free. */
export type Upstream = 'live' | 'sandbox' | 'none';

/** Days (UTC) such as 2026-01-31, both included; by default the last 30. At most 366. */
export interface RangeQuery {
  from?: string;
  to?: string;
}

export interface Usage {
  from: string;
  to: string;
  credits: { granted: number; balance: number; reserved: number; charged: number };
  /** Days without usage are left out. */
  days: ({ day: string; provider: string } & UsageSum)[];
  keys: ({ key: KeyOfRequest } & UsageSum)[];
}

export interface UsageSum {
  completed: number;
  failed: number;
  credits: number;
}

/** Days (UTC), both included; by default the last 7. At most 31. */
export interface PerformanceQuery extends RangeQuery {
  mode?: 'sync' | 'async';
}

export interface Performance {
  from: string;
  to: string;
  /** True when there were so many requests that only the newest 200,000 were looked at. */
  isPartial: boolean;
  providers: ({ provider: string } & PerformanceFigures)[];
  countries: ({ provider: string; country: string } & PerformanceFigures)[];
}

/** Of requests that are over, test keys' and canceled ones left out. Latencies in milliseconds, of the successful ones; null without any. */
export interface PerformanceFigures {
  ok: number;
  failed: number;
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

export interface Status {
  /** What this server reaches itself. */
  dependencies: { name: 'PostgreSQL' | 'NATS' | 'API'; isUp: boolean; ms: number | null; problem: string | null }[];
  /** Every service of the deployment that ought to run, with the instances that answered just now; null when the bus is away and nobody can tell. */
  services: { name: string; instances: { id: string; since: string }[] }[] | null;
  providers: ProviderStatus[];
}

export interface ProviderStatus {
  provider: string;
  label: string;
  /** Null when no worker serves it, or nobody can tell. */
  upstream: Upstream | null;
  workers: number;
  /** The latest of this account in the last day. */
  lastOkAt: string | null;
  lastError: { requestId: string; at: string; reason: string; message: string } | null;
}
