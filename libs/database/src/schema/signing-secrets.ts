import type { Generated } from 'kysely';

/** Owner: dashboard. An account without a row has signing off. */
export interface SigningSecretsTable {
  account_id: string;
  /** The whole `whsec_` string, encrypted under ENCRYPTION_KEY. */
  secret: Buffer;
  created_at: Generated<Date>;
}
