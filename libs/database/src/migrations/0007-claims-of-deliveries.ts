import { type Kysely, sql } from 'kysely';

/** Claims of deliveries, within the limits of an account and of a receiver (decision W6); the next one makes their function. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await sql`drop function if exists claim_deliveries(jsonb, jsonb, integer, integer, interval, integer)`.execute(db);
  // A claim writes its attempts beside their deliveries: to look each of them up again for a constraint would cost as much as the rest.
  await sql`alter table delivery_attempts drop constraint if exists delivery_attempts_delivery_id_fkey`.execute(db);
}
