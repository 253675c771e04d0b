import { Migrator } from 'kysely';
import type { Database } from './database.js';
import * as tables from './migrations/0001-tables.js';
import * as admission from './migrations/0002-admission.js';
import * as deliveries from './migrations/0003-deliveries.js';
import * as sweeps from './migrations/0004-sweeps.js';
import * as controlPlane from './migrations/0005-control-plane.js';
import * as settlement from './migrations/0006-settlement.js';
import * as claimsOfDeliveries from './migrations/0007-claims-of-deliveries.js';
import * as attemptsWrittenOnce from './migrations/0008-attempts-written-once.js';
import * as outstandingByPriority from './migrations/0009-outstanding-by-priority.js';
import * as fewerStatements from './migrations/0010-fewer-statements.js';

const MIGRATIONS = {
  '0001-tables': tables,
  '0002-admission': admission,
  '0003-deliveries': deliveries,
  '0004-sweeps': sweeps,
  '0005-control-plane': controlPlane,
  '0006-settlement': settlement,
  '0007-claims-of-deliveries': claimsOfDeliveries,
  '0008-attempts-written-once': attemptsWrittenOnce,
  '0009-outstanding-by-priority': outstandingByPriority,
  '0010-fewer-statements': fewerStatements,
};

/** Brings the schema up to date. Safe to run by several processes at once: one migrates, the others wait. Returns what was applied. */
export async function migrate(database: Database): Promise<string[]> {
  const migrator = new Migrator({ db: database, provider: { getMigrations: async () => MIGRATIONS } });
  const { error, results = [] } = await migrator.migrateToLatest();
  if (error) throw error instanceof Error ? error : new Error('the schema could not be brought up to date', { cause: error });
  return results.map(({ migrationName }) => migrationName);
}
