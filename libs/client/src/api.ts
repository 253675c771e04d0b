export type TaskStatus = 'QUEUED' | 'PROCESSING' | 'COMPLETED' | 'FAILED';

/** A task as it is read, and as a webhook carries it (then without `task.webhook`). */
export interface TaskRead {
  task: {
    id: string;
    taskType: string;
    status: TaskStatus;
    priority: number;
    createdAt: string;
    idempotencyKey?: string;
    startedAt?: string;
    completedAt?: string;
    expiresAt?: string;
    latencyMs?: number;
    attempts?: number;
    webhook?: { url: string; status: DeliveryStatus; attempts: number; lastStatusCode: number | null; nextAttemptAt: string | null };
  };
  credits: { creditsToCharge: number; creditsCharged: number | null };
  /** The provider's result when COMPLETED, `{ error }` when FAILED. */
  response: Record<string, unknown>;
  quality?: Record<string, unknown>;
}

export interface NewTask {
  taskType: string;
  payload: Record<string, unknown>;
  priority?: number;
  idempotencyKey?: string;
  webhook?: { url: string };
}

export type DeliveryStatus = 'pending' | 'delivered' | 'failed';

export interface Delivery {
  deliveryId: string;
  taskId: string;
  url: string;
  status: DeliveryStatus;
  nextAttemptAt: string | null;
  attempts: { attempt: number; at: string; statusCode: number | null; durationMs: number | null; error: string | null }[];
}

export interface DeliveriesWanted {
  taskId?: string;
  status?: DeliveryStatus;
  cursor?: string;
  limit?: number;
}

/** The API answered with something other than success; `body` is what it said. */
export class ApiRefused extends Error {
  override name = 'ApiRefused';

  constructor(
    readonly status: number,
    readonly body: unknown,
  ) {
    super(`the API answered ${status}: ${JSON.stringify(body)}`);
  }
}

/** Tasks and webhook deliveries over the HTTP API, as the holder of a key. */
export class Overheard {
  readonly #baseUrl: string;
  readonly #key: string;

  constructor({ baseUrl, key }: { baseUrl: string; key: string }) {
    this.#baseUrl = baseUrl.replace(/\/+$/, '');
    this.#key = key;
  }

  createTask = (task: NewTask): Promise<{ taskId: string }> => this.#send('POST', '/v1/async/task', task);

  /** With `wait`, such as `25s`, answers once the task is over or the time is up. */
  readTask = (taskId: string, { wait }: { wait?: string } = {}): Promise<TaskRead> =>
    this.#send('GET', `/v1/async/task/${encodeURIComponent(taskId)}${queryOf({ wait })}`);

  listDeliveries = (wanted: DeliveriesWanted = {}): Promise<{ deliveries: Delivery[]; nextCursor: string | null }> =>
    this.#send('GET', `/v1/webhooks/deliveries${queryOf({ ...wanted })}`);

  redeliver = (deliveryId: string): Promise<Delivery> => this.#send('POST', `/v1/webhooks/deliveries/${encodeURIComponent(deliveryId)}/redeliver`);

  async #send<T>(method: string, path: string, body?: object): Promise<T> {
    const response = await fetch(`${this.#baseUrl}${path}`, {
      method,
      headers: { authorization: `Bearer ${this.#key}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    if (!response.ok) throw new ApiRefused(response.status, parsed(text));
    return JSON.parse(text) as T;
  }
}

function queryOf(parameters: Record<string, string | number | undefined>): string {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) if (value !== undefined) query.set(name, String(value));
  return query.size > 0 ? `?${query}` : '';
}

/** A proxy before the API may answer with a page. */
function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
