import { until } from '@overheard/testing';
import { deviation } from './conformance.js';

/** An answer of the API: its body as it came, and as JSON where it is some. */
export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

export interface Sent {
  /** Sent as JSON; a string as it is. */
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal;
}

const QUESTION = { prompt: 'Which travel mug keeps coffee hot longest?', country: 'US' };

/** Calls the API as the holder of a key. Every answer is held against the API's document. */
export class ApiClient {
  constructor(
    private readonly baseUrl: string,
    readonly key: string | undefined,
  ) {}

  async send(method: string, path: string, { body, headers = {}, signal }: Sent = {}): Promise<Reply> {
    const response = await fetch(`${this.baseUrl}${path}`, {
      method,
      headers: {
        ...(this.key === undefined ? {} : { authorization: `Bearer ${this.key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
    const text = await response.text();
    const reply = { status: response.status, headers: response.headers, text, body: parsed(text) };
    const fault = deviation({ method, path, ...reply });
    if (fault) throw new Error(`${method} ${path} answered ${reply.status} otherwise than docs/api/openapi.json says: ${fault}; it said ${text.slice(0, 500)}`);
    return reply;
  }

  get = (path: string): Promise<Reply> => this.send('GET', path);
  post = (path: string, body: unknown): Promise<Reply> => this.send('POST', path, { body });

  /** Asks and waits for the answer. */
  ask = (payload: object = {}): Promise<Reply> => this.post('/v1/monitor/chatgpt', { ...QUESTION, ...payload });

  /** Creates a task. */
  create = ({ payload = {}, ...rest }: { payload?: object; [field: string]: unknown } = {}): Promise<Reply> =>
    this.post('/v1/async/task', { taskType: 'CHATGPT', payload: { ...QUESTION, ...payload }, ...rest });

  read = (taskId: string): Promise<Reply> => this.get(`/v1/async/task/${taskId}`);

  /** The task read once the task is over. */
  over(taskId: string, withinMs = 30_000): Promise<Reply> {
    return until(
      `task ${taskId} to be over`,
      async () => {
        const reply = await this.read(taskId);
        return ['COMPLETED', 'FAILED'].includes(reply.body.task?.status) && reply;
      },
      withinMs,
    );
  }
}

function parsed(text: string): any {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
