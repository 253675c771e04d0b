import { Inject, Injectable } from '@nestjs/common';
import { Database } from '@overheard/database';
import type { AuditAction, AuditPage } from './api.js';
import type { Visitor } from './access/sessions.js';

export interface Change {
  action: AuditAction;
  /** What it was done to, as a reader names it. */
  subject: string;
  detail?: string | undefined;
}

/** Who changed what, and when. */
@Injectable()
export class Audit {
  constructor(@Inject(Database) private readonly database: Database) {}

  /** Notes a change; with the transaction that makes it, so that there is none without its note. */
  async note({ accountId, email }: Pick<Visitor, 'accountId' | 'email'>, { action, subject, detail }: Change, transaction = this.database): Promise<void> {
    await transaction
      .insertInto('audit_log')
      .values({ account_id: accountId, person: email, action, subject, detail: detail ?? null })
      .execute();
  }

  /** A page of an account's changes, newest first. */
  async list(accountId: string, { cursor, limit }: { cursor?: number | undefined; limit: number }): Promise<AuditPage> {
    const rows = await this.database
      .selectFrom('audit_log')
      .selectAll()
      .where('account_id', '=', accountId)
      .$if(cursor !== undefined, (query) => query.where('id', '<', cursor as number))
      .orderBy('id', 'desc')
      .limit(limit)
      .execute();
    const entries = rows.map(({ id, at, person, action, subject, detail }) => ({
      id: String(id),
      at: at.toISOString(),
      person,
      action: action as AuditAction,
      subject,
      detail,
    }));
    return { entries, nextCursor: entries.length === limit ? (entries.at(-1)?.id ?? null) : null };
  }
}
