import type { OutcomeNotice, TerminalStatus, Timings } from '@overheard/contracts';
import type { Selectable } from 'kysely';
import type { TasksTable } from '../schema/tasks.js';

/** The outcome that stands of a task that is over, without its answer. */
export type Standing = Omit<OutcomeNotice, 'outcome'>;

/** The columns of `tasks` that say so. */
export const STANDING_COLUMNS = ['id', 'account_id', 'status', 'charge', 'status_code', 'completed_at', 'route', 'timings', 'attempts'] as const;
export type StandingRow = Pick<Selectable<TasksTable>, (typeof STANDING_COLUMNS)[number]>;

/** Reads them; the task must be over. */
export const standingOf = (row: StandingRow): Standing => ({
  id: row.id,
  accountId: row.account_id,
  status: row.status as TerminalStatus,
  charge: row.charge ?? false,
  statusCode: row.status_code ?? 500,
  completedAt: (row.completed_at as Date).toISOString(),
  route: row.route === 'live' ? 'live' : 'sandbox',
  timings: JSON.parse(row.timings ?? '{}') as Timings,
  attempts: row.attempts,
});
