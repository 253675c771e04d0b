/** What a key may be allowed to do; a key without scopes named may do all of it (decision A2). */
export const SCOPES = ['monitor:run', 'tasks:create', 'tasks:read', 'webhooks:manage'] as const;
export type Scope = (typeof SCOPES)[number];
