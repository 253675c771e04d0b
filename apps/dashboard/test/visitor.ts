import { randomUUID } from 'node:crypto';
import type { Role } from '@overheard/contracts';
import { createPerson, type Database } from '@overheard/database';
import { ROUTES } from '../src/api.js';

export const PASSWORD = 'a password of some length';

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  body: any;
}

/** The API as the pages use it: keeps the cookie, and says where a request comes from as a browser does. */
export class Visitor {
  cookie: string | undefined;

  constructor(
    private readonly url: string,
    readonly email = `${randomUUID()}@example.com`,
  ) {}

  get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => this.send('GET', path, undefined, headers);

  post = (path: string, body: unknown = {}, headers: Record<string, string> = {}): Promise<Answer> =>
    this.send('POST', path, JSON.stringify(body), { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin', ...headers });

  login = (password = PASSWORD, headers: Record<string, string> = {}): Promise<Answer> => this.post(ROUTES.login, { email: this.email, password }, headers);

  async send(method: string, path: string, body: string | undefined, headers: Record<string, string>): Promise<Answer> {
    const response = await fetch(`${this.url}${path}`, {
      method,
      headers: { ...(this.cookie ? { cookie: this.cookie } : {}), ...headers },
      ...(body === undefined ? {} : { body }),
    });
    const [given] = response.headers.getSetCookie();
    if (given !== undefined) this.cookie = given.split(';')[0];
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.startsWith('application/json');
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : undefined };
  }
}

/** A person of that account who has logged in. */
export async function personIn(stack: { database: Database; dashboardUrl: string }, accountId: string, role: Role): Promise<Visitor & { personId: string }> {
  const visitor = new Visitor(stack.dashboardUrl);
  const { personId } = await createPerson(stack.database, { email: visitor.email, password: PASSWORD, accountId, role });
  const { status, text } = await visitor.login();
  if (status !== 200) throw new Error(`login answered ${status}: ${text}`);
  return Object.assign(visitor, { personId });
}
