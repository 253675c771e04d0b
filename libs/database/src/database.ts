import { createHash } from 'node:crypto';
import { Socket } from 'node:net';
import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import { meter } from '@overheard/runtime';
import pg from 'pg';
import type { DatabaseConfig } from './config.js';
import type { Schema } from './schema/index.js';

const CONNECT_WITHIN_MS = 3000;
const STATEMENT_WITHIN_MS = 30_000;
const SILENT_MS = STATEMENT_WITHIN_MS + 2000;

// Credits and counts are far below 2^53; node-postgres would hand bigint and numeric over as text.
pg.types.setTypeParser(pg.types.builtins.INT8, Number);
pg.types.setTypeParser(pg.types.builtins.NUMERIC, Number);
pg.types.setTypeParser(pg.types.builtins.DATE, (day) => day);

/** The process's PostgreSQL: a pool behind kysely. Queries stand in `*.repository.ts` files and the verbs of this library only. */
export class Database extends Kysely<Schema> {
  static open(config: DatabaseConfig, onIdleError: (error: Error) => void = () => undefined): Database {
    const pool = new pg.Pool({
      connectionString: config.DATABASE_URL,
      max: config.DATABASE_POOL,
      connectionTimeoutMillis: CONNECT_WITHIN_MS,
      statement_timeout: STATEMENT_WITHIN_MS,
      keepAlive: true,
      stream: mortalSocket,
    });
    // A connection that breaks is replaced at the next query; unheard, its events would end the process. One in use tells its query as well.
    pool.on('error', ({ message }) => onIdleError(new Error(message)));
    pool.on('connect', (client) => client.on('error', () => undefined));
    measurePool(pool);
    return new Database({ dialect: new PostgresDialect({ pool: { connect: async () => preparing(await pool.connect()), end: () => pool.end() } }) });
  }
}

/** A statement that ends like this is planned once for each connection instead of each time: for those that come often, with a text that never changes. */
const PREPARED = /\/\* prepared: (\w+) \*\/$/;
const names = new Map<string, string>();

/** PostgreSQL keeps the plan of a statement that has a name. */
function preparing(client: pg.PoolClient): PostgresPoolClient {
  const query = (text: string, values: unknown[]) => {
    const label = PREPARED.exec(text)?.[1];
    return client.query(label === undefined ? { text, values } : { name: nameOf(label, text), text, values });
  };
  // Without cursors, which `query` would have to take as well.
  return { query, release: (destroy) => client.release(destroy) } as Pick<PostgresPoolClient, 'release'> as PostgresPoolClient;
}

/** The same in every process, of each text its own. */
function nameOf(label: string, text: string): string {
  const name = names.get(text) ?? `${label} ${createHash('sha256').update(text).digest('hex').slice(0, 8)}`;
  names.set(text, name);
  return name;
}

function measurePool(pool: pg.Pool): void {
  const gauge = (name: string, description: string) => meter('database').createObservableGauge(name, { description });
  gauge('database_connections', 'Connections to PostgreSQL that are open').addCallback((result) => {
    result.observe(pool.totalCount - pool.idleCount, { state: 'busy' });
    result.observe(pool.idleCount, { state: 'idle' });
  });
  gauge('database_waiting', 'Queries that wait for a connection').addCallback((result) => result.observe(pool.waitingCount));
}

/**
 * A connection on which nothing has come for longer than any statement may take is dead, though nobody said so: its peer is behind a broken way,
 * or has forgotten it. Kept, it would fail every query that it is given for as long as the system believes in it, which is a quarter of an hour.
 */
function mortalSocket(): Socket {
  const socket = new Socket();
  return socket.setTimeout(SILENT_MS, () => socket.destroy(new Error('PostgreSQL is silent')));
}

/** Does some work in a transaction: in the one that is going on, or in one of its own. */
export const inTransaction = <T>(database: Database, work: (transaction: Database) => Promise<T>): Promise<T> =>
  database.isTransaction ? work(database) : database.transaction().execute(work);

// Class 22: a value the column can't hold. Class 23: a constraint. Class 54: too large for PostgreSQL.
const ITEMS_FAULTS = ['22', '23', '54'];

/** Whether a batch failed because of something in it, rather than because the database is away. */
export const isItemsFault = (error: unknown): boolean => error instanceof pg.DatabaseError && ITEMS_FAULTS.includes(error.code?.slice(0, 2) ?? '');
