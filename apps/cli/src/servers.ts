import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Database, databaseConfig, encryptionConfig } from '@overheard/database';
import * as z from 'zod';
import { readConfig } from '@overheard/runtime';
import { CommandFailed } from './usage-error.js';

const location = z.object({
  DATABASE_URL: z.string().optional().describe('Address of PostgreSQL; without it the running `npm start` is asked'),
  DATA_DIR: z.string().default('.local').describe('Data folder of the `npm start` whose servers are meant'),
});

/** Runs something with the database that the environment names, or else the running `npm start`. */
export async function withDatabase<T>(work: (database: Database) => Promise<T>): Promise<T> {
  const { DATABASE_URL, DATA_DIR } = readConfig(location);
  const database = Database.open({ ...readConfig(databaseConfig.omit({ DATABASE_URL: true })), DATABASE_URL: DATABASE_URL ?? runningIn(DATA_DIR).databaseUrl });
  try {
    return await work(database);
  } finally {
    await database.destroy();
  }
}

/** The key of the signing secrets: the environment's, or else that of the `npm start` in DATA_DIR. */
export function encryptionKey(): Buffer {
  const { ENCRYPTION_KEY, DATA_DIR } = readConfig(encryptionConfig.partial().extend(location.pick({ DATA_DIR: true }).shape));
  return ENCRYPTION_KEY ?? seededKey(join(DATA_DIR, 'seed.json'));
}

function seededKey(file: string): Buffer {
  try {
    return encryptionConfig.parse({ ENCRYPTION_KEY: JSON.parse(readFileSync(file, 'utf8')).encryptionKey }).ENCRYPTION_KEY;
  } catch {
    throw new CommandFailed(`there is no key for signing secrets: set ENCRYPTION_KEY, or begin with npm start, which keeps one in ${file}`);
  }
}

function runningIn(dataDir: string): { databaseUrl: string } {
  const file = join(dataDir, 'run.json');
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as { databaseUrl: string };
  } catch {
    throw new CommandFailed(`nothing runs here: there is no ${file}. Begin with npm start, or set DATABASE_URL`);
  }
}
