import type { Role } from '@overheard/contracts';
import type { Generated, GeneratedAlways } from 'kysely';

/** Owner: dashboard. Only the digest of a key is kept (decision A1). */
export interface ApiKeysTable {
  id: Generated<string>;
  account_id: string;
  name: string;
  /** SHA-256 of the whole key. */
  digest: Buffer;
  last_four: string;
  test: boolean;
  /** Null: all scopes, also later ones. */
  scopes: string[] | null;
  created_at: Generated<Date>;
  expires_at: Date | null;
  revoked_at: Date | null;
  last_used_at: Date | null;
  /** E-mail address of the person who made it; null for a key of the command line. */
  created_by: string | null;
  /** The dashboard's own, with which it acts for the person who "made" it: short-lived, and in no list of keys. */
  hidden: Generated<boolean>;
}

/** Owner: dashboard. */
export interface PeopleTable {
  id: Generated<string>;
  email: string;
  /** scrypt, as `salt:hash` in base64. */
  password: string;
  created_at: Generated<Date>;
}

/** Owner: dashboard. */
export interface MembershipsTable {
  account_id: string;
  person_id: string;
  role: Role;
  created_at: Generated<Date>;
}

/** Owner: dashboard. Who is logged in, and which of their accounts they look at. */
export interface SessionsTable {
  /** SHA-256 of what the cookie holds. */
  digest: Buffer;
  person_id: string;
  account_id: string;
  expires_at: Date;
}

/** Owner: dashboard. How often it was tried to log in, in a window that ends by itself. */
export interface LoginTriesTable {
  /** SHA-256 of whom they are counted for. */
  digest: Buffer;
  tries: number;
  ends_at: Date;
}

/** Owner: dashboard. */
export interface AuditLogTable {
  id: GeneratedAlways<number>;
  account_id: string;
  at: Generated<Date>;
  /** E-mail address of whoever did it. */
  person: string;
  action: string;
  subject: string;
  detail: string | null;
}
