import { type Kysely, sql } from 'kysely';
import * as admission from './0002-admission.js';
import { replaceFunctions } from './0006-settlement.js';
import { COUNTED } from './0009-outstanding-by-priority.js';

/** Settlement and the marks of publication keep their plans, and admission asks for reused keys only where there are any. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql.raw(COUNTED).execute(db);
  await admission.up(db);
  await replaceFunctions(db);
}
