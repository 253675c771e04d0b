import type { AccountsTable, GrantsTable, UsageDailyTable } from './accounts.js';
import type { ApiKeysTable, AuditLogTable, LoginTriesTable, MembershipsTable, PeopleTable, SessionsTable } from './control-plane.js';
import type { DeliveriesTable, DeliveryAttemptsTable } from './deliveries.js';
import type { IdempotencyKeysTable, RequestsTable } from './requests.js';
import type { SigningSecretsTable } from './signing-secrets.js';
import type { TasksTable } from './tasks.js';

export type { DeliveryStatus } from './deliveries.js';
export type { RequestState } from './requests.js';

/** All tables; each has one owner that writes it (ARCHITECTURE.md, Who writes what). Reading is free. */
export interface Schema {
  accounts: AccountsTable;
  grants: GrantsTable;
  usage_daily: UsageDailyTable;
  requests: RequestsTable;
  idempotency_keys: IdempotencyKeysTable;
  tasks: TasksTable;
  api_keys: ApiKeysTable;
  people: PeopleTable;
  memberships: MembershipsTable;
  sessions: SessionsTable;
  login_tries: LoginTriesTable;
  audit_log: AuditLogTable;
  signing_secrets: SigningSecretsTable;
  deliveries: DeliveriesTable;
  delivery_attempts: DeliveryAttemptsTable;
}
