import type { Generated } from 'kysely';

/** Owner: gateway. Decision M5 is a CHECK of the table: balance + reserved + charged = granted. */
export interface AccountsTable {
  id: string;
  name: string;
  created_at: Generated<Date>;
  granted: Generated<number>;
  balance: Generated<number>;
  reserved: Generated<number>;
  charged: Generated<number>;
  /** Tasks (not synchronous requests) that are not over; test keys' apart, since they have a cap of their own. */
  outstanding: Generated<number>;
  test_outstanding: Generated<number>;
  /** Both, of the priorities 1 to 10. Read it with `outstanding_by_priority_of`. */
  outstanding_by_priority: Generated<number[]>;
  /** Simultaneous synchronous requests, and requests a second. */
  concurrency: Generated<number>;
  rate: Generated<number>;
}

export interface GrantsTable {
  id: Generated<string>;
  account_id: string;
  credits: number;
  created_at: Generated<Date>;
}

/** What was settled on a day (UTC), added up by settlement. */
export interface UsageDailyTable {
  account_id: string;
  day: string;
  provider: string;
  key_id: string;
  completed: Generated<number>;
  failed: Generated<number>;
  credits_charged: Generated<number>;
}
