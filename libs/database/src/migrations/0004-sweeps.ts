import { type Kysely, sql } from 'kysely';

/** What the sweeps and retention look things up by. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of INDEXES) await sql.raw(statement).execute(db);
}

const INDEXES = [
  `create index requests_open_ids on requests (id) where state = 'open'`,
  `create index requests_payload on requests (completed_at) where payload is not null and state <> 'open'`,
  `create index tasks_processing on tasks (deadline_at) where status = 'PROCESSING'`,
  `create index tasks_completed on tasks (completed_at)`,
];
