import type { Scope } from '@overheard/contracts';

export interface Route {
  method: 'GET' | 'POST' | 'DELETE';
  path: string;
  scope?: Scope;
}

const ID = '01890000-0000-7000-8000-000000000000';

/** Every route that needs a key, with the scope it asks for. */
export const ROUTES: readonly Route[] = [
  ...['chatgpt', 'perplexity', 'grok', 'gemini', 'copilot', 'aimode', 'google', 'google/news'].map((path): Route => ({
    method: 'POST',
    path: `/v1/monitor/${path}`,
    scope: 'monitor:run',
  })),
  { method: 'POST', path: '/v1/async/task', scope: 'tasks:create' },
  { method: 'DELETE', path: `/v1/async/task/${ID}`, scope: 'tasks:create' },
  { method: 'GET', path: `/v1/async/task/${ID}`, scope: 'tasks:read' },
  { method: 'GET', path: '/v1/async/status', scope: 'tasks:read' },
  { method: 'POST', path: '/v1/async/task/batch', scope: 'tasks:create' },
  { method: 'GET', path: '/v1/usage', scope: 'tasks:read' },
  { method: 'GET', path: '/v1/webhooks/deliveries', scope: 'webhooks:manage' },
  { method: 'POST', path: `/v1/webhooks/deliveries/${ID}/redeliver`, scope: 'webhooks:manage' },
  { method: 'POST', path: '/v1/estimate' },
  { method: 'GET', path: '/v1/countries' },
];

export const nameOf = ({ method, path }: Route): string => `${method} ${path}`;
