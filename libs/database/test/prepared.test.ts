import { expect, test } from '@jest/globals';
import { createTestDatabase } from '@overheard/testing';
import { sql } from 'kysely';

test('statements that ask for it are prepared once for each connection, each text under a name of its own that says which it is', async () => {
  const { database, drop } = await createTestDatabase();
  try {
    await database.transaction().execute(async (transaction) => {
      for (const one of [1, 2, 3]) {
        expect((await sql`select ${one}::integer as one /* prepared: counted */`.execute(transaction)).rows).toEqual([{ one }]);
        await sql`select ${one}::integer as other /* prepared: counted */`.execute(transaction);
        await sql`select ${one}::integer /* of no use to prepare */`.execute(transaction);
      }
      const { rows } = await sql<{ name: string; statement: string }>`select name, statement from pg_prepared_statements order by statement`.execute(
        transaction,
      );
      expect(rows).toEqual(
        ['one', 'other'].map((column) => ({
          name: expect.stringMatching(/^counted \w{8}$/),
          statement: `select $1::integer as ${column} /* prepared: counted */`,
        })),
      );
      expect(new Set(rows.map(({ name }) => name)).size).toBe(2);
    });
  } finally {
    await drop();
  }
});
