import type { Generated } from 'kysely';

/** Owner: task-store. How a task went, and its answer until it expires. A task nobody has claimed yet has no row. */
export interface TasksTable {
  id: string;
  account_id: string;
  provider: string;
  status: 'PROCESSING' | 'COMPLETED' | 'FAILED';
  claims: number;
  attempts: Generated<number>;
  started_at: Date | null;
  deadline_at: Date | null;
  completed_at: Date | null;
  expires_at: Date | null;
  charge: boolean | null;
  status_code: number | null;
  route: string | null;
  /** The exact JSON text of the result; text and not jsonb, since upstreams send what jsonb refuses. */
  response: string | null;
  quality: string | null;
  error: string | null;
  timings: string | null;
}
