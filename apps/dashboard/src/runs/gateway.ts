import { Inject, Injectable } from '@nestjs/common';
import type { Config } from '../config.js';
import { Problem } from '../problem.js';
import { CONFIG } from '../tokens.js';

const ANSWER_WITHIN_MS = 10_000;

/** An error body of the public API, in any of its forms. */
interface Refusal {
  error?: string | { message?: string; details?: unknown };
  details?: { field: string; message: string }[];
}

/** The public API, as its clients use it. */
@Injectable()
export class Gateway {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Throws the `Problem` that the answer is, in the words of the API. */
  async post<T>(path: string, body: object, key: string): Promise<T> {
    const response = await this.fetch(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const answer: unknown = await response.json().catch(() => undefined);
    if (response.ok) return answer as T;
    throw problemOf(response.status, (answer ?? {}) as Refusal);
  }

  /** Resolves when it answers, whatever it says. */
  async ping(): Promise<void> {
    await this.fetch('/v1/countries');
  }

  private async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    try {
      return await fetch(`${this.config.GATEWAY_URL}${path}`, { ...init, signal: AbortSignal.timeout(ANSWER_WITHIN_MS) });
    } catch {
      throw new Problem(502, 'The API does not answer. Look at the status page.');
    }
  }
}

/** Fields of the public API that have another name here. */
const NAMES: Record<string, string> = { taskType: 'provider' };

function problemOf(status: number, { error, details }: Refusal): Problem {
  const message = typeof error === 'string' ? error : (error?.message ?? `The API answered ${status}.`);
  // 401 and 403 are about the key that was used for the person, not about their session or role.
  const seen = status === 401 || status === 403 ? 422 : status >= 500 ? 502 : status;
  return new Problem(
    seen,
    `${message}.`.replace(/\.\.$/, '.'),
    details && Object.fromEntries(details.map(({ field, message }) => [NAMES[field] ?? field, message])),
  );
}
