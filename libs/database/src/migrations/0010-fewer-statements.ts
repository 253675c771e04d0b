import { type Kysely, sql } from 'kysely';
import * as admission from './0002-admission.js';
import { replaceFunctions } from './0006-settlement.js';
import { COUNTED } from './0009-outstanding-by-priority.js';

/** Settlement and the marks of publication in one statement each, where planning several took longer than running them. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(COUNTED).execute(db);
  await admission.up(db);
  await replaceFunctions(db);
}
