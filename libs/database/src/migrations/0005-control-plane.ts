import { type Kysely, sql } from 'kysely';

/** People with a role in each of their accounts, their sessions, the tries to log in, and who changed what; keys that the dashboard uses itself. */
export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}

const STATEMENTS = [
  `create table memberships (
    account_id uuid not null references accounts,
    person_id uuid not null references people on delete cascade,
    role text not null check (role in ('viewer', 'member', 'owner')),
    created_at timestamptz not null default now(),
    primary key (account_id, person_id)
  )`,
  `create index memberships_person on memberships (person_id)`,
  // Until now a person had one account, and could do everything there was to do in it.
  `insert into memberships (account_id, person_id, role, created_at) select account_id, id, 'owner', created_at from people`,
  `alter table people drop column account_id`,
  `create table sessions (
    digest bytea primary key,
    person_id uuid not null references people on delete cascade,
    account_id uuid not null references accounts,
    expires_at timestamptz not null
  )`,
  `create index sessions_person on sessions (person_id)`,
  `create index sessions_expiry on sessions (expires_at)`,
  `create table login_tries (
    digest bytea primary key,
    tries integer not null,
    ends_at timestamptz not null
  )`,
  `create index login_tries_end on login_tries (ends_at)`,
  // No foreign key to the person: what somebody did stays when they go.
  `create table audit_log (
    id bigint generated always as identity primary key,
    account_id uuid not null references accounts,
    at timestamptz not null default now(),
    person text not null,
    action text not null,
    subject text not null,
    detail text
  )`,
  `create index audit_log_account on audit_log (account_id, id desc)`,
  `alter table api_keys add column created_by text, add column hidden boolean not null default false`,
  `create unique index api_keys_hidden on api_keys (account_id, created_by, test) where hidden`,
];
