import type { Generated } from 'kysely';

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
}

/** Owner: dashboard. */
export interface PeopleTable {
  id: Generated<string>;
  email: string;
  /** scrypt, as `salt:hash` in base64. */
  password: string;
  account_id: string;
  created_at: Generated<Date>;
}
