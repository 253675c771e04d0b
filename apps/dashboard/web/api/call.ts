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

export const get = <T>(path: string, query?: Query): Promise<T> => call('GET', address(path, query));
export const post = <T>(path: string, body: object = {}): Promise<T> => call('POST', path, body);

export async function call<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(path, {
    method,
    headers: body === undefined ? {} : { 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  }).catch(() => {
    throw new ApiError(0, 'The dashboard’s server can’t be reached. Check that it runs and that you are online.');
  });
  const answer: unknown = await response.json().catch(() => undefined);
  if (!response.ok) throw problemOf(response.status, answer);
  return answer as T;
}

/** Reads the error bodies of the interface: Standard, Simple and Validation. */
function problemOf(status: number, answer: unknown): ApiError {
  const { error, details } = (answer ?? {}) as { error?: string | { message?: string }; details?: { field: string; message: string }[] };
  const message = typeof error === 'string' ? error : error?.message;
  const fields = Array.isArray(details) ? Object.fromEntries(details.map(({ field, message }) => [field, message])) : {};
  return new ApiError(status, message ?? `The server answered ${status}.`, fields);
}
