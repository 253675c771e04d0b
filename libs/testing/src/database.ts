import { randomBytes } from 'node:crypto';
import { Database, type DatabaseConfig, migrate } from '@overheard/database';
import { sql } from 'kysely';
import { addressOf } from './environment.js';

export interface TestDatabase {
  /** What a service that shall use it is configured with. */
  settings: DatabaseConfig;
  database: Database;
  /** Closes the pool and removes the database, whoever is still connected. */
  drop(): Promise<void>;
}

/** A database of its own for a test file, migrated unless told otherwise, on the server that DATABASE_URL names. */
export async function createTestDatabase({ migrated = true } = {}): Promise<TestDatabase> {
  const name = `test_${randomBytes(6).toString('hex')}`;
  const server = Database.open({ DATABASE_URL: addressOf('DATABASE_URL'), DATABASE_POOL: 1 });
  await sql`create database ${sql.id(name)}`.execute(server);
  const url = new URL(addressOf('DATABASE_URL'));
  url.pathname = `/${name}`;
  const settings = { DATABASE_URL: url.href, DATABASE_POOL: 10 };
  const database = Database.open(settings);
  if (migrated) await migrate(database);
  return {
    settings,
    database,
    async drop() {
      await database.destroy();
      await sql`drop database ${sql.id(name)} with (force)`.execute(server);
      await server.destroy();
    },
  };
}
