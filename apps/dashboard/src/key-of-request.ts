import { sql } from 'kysely';

// Whose key a request was made with, out of `api_keys as k`: one of the dashboard's own has no name, but a person who used it.
export const keyName = sql<string | null>`case when not k.hidden then k.name end`;
export const keyPerson = sql<string | null>`case when k.hidden then k.created_by end`;
