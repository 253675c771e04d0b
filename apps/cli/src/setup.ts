import { text } from 'node:stream/consumers';
import { createAccount, createKey, createPerson, type Database, digestOf, migrate } from '@overheard/database';
import * as z from 'zod';
import { withDatabase } from './servers.js';

const FIRST_CREDITS = 1_000_000;

const seed = z.object({ apiKey: z.string(), accountId: z.guid(), admin: z.object({ email: z.string(), password: z.string() }) });
type Seed = z.infer<typeof seed>;

/** `setup`: brings the schema up to date and makes sure that the first account, its key and its person are there. The seed comes on standard input. */
export async function setup(): Promise<unknown> {
  const wanted = seed.parse(JSON.parse(await text(process.stdin)));
  return withDatabase(async (database) => {
    const migrated = await migrate(database);
    await plant(database, wanted);
    return { migrated, accountId: wanted.accountId };
  });
}

/** `migrate`: brings the schema up to date. */
export const migrateOnly = (): Promise<unknown> => withDatabase(async (database) => ({ migrated: await migrate(database) }));

async function plant(database: Database, { apiKey, accountId, admin }: Seed): Promise<void> {
  const account = await database.selectFrom('accounts').select('id').where('id', '=', accountId).executeTakeFirst();
  if (!account) await createAccount(database, { id: accountId, name: 'First account', credits: FIRST_CREDITS });
  const key = await database.selectFrom('api_keys').select('id').where('digest', '=', digestOf(apiKey)).executeTakeFirst();
  if (!key) await createKey(database, { accountId, name: 'First key', key: apiKey });
  await createPerson(database, { ...admin, accountId });
}
