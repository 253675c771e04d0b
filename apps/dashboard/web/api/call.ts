import type { Problem } from '../../src/api';

/** An answer that is no success. Its message is for the reader. */
export class ApiError extends Error {
  override name = 'ApiError';
  constructor(
    readonly status: number,
    message: string,
    /** Faults by field. */
    readonly fields: Record<string, string> = {},
  ) {
    super(message);
  }
}

type Query = Record<string, string | number | undefined>;

/** The address of a route with its query; what is undefined or empty is left out. */
export function address(path: string, query: Query = {}): string {
  const entries = Object.entries(query).filter(([, value]) => value !== undefined && value !== '');
  const search = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return search === '' ? path : `${path}?${search}`;
}

export const get = <T>(path: string, query?: Query): Promise<T> => call(address(path, query), {});

export const post = <T>(path: string, body: object = {}): Promise<T> =>
  call(path, { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });

async function call<T>(path: string, options: RequestInit): Promise<T> {
  const response = await fetch(path, options).catch(() => {
    throw new ApiError(0, 'The dashboard’s server can’t be reached. Check that it runs and that you are online.');
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (response.ok) return answer as T;
  const { error } = (answer ?? {}) as Partial<Problem>;
  throw new ApiError(response.status, error?.message ?? `The server answered ${response.status}.`, error?.fields);
}
