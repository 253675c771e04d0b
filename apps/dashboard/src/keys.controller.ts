import { Body, Controller, Get, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { fieldText, type Scope, SCOPES } from '@overheard/contracts';
import { createKey, Database, inTransaction, type KeyView, listKeys, NotFound, revokeKey } from '@overheard/database';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type RouteSettings, visitorOf } from './access/access.js';
import type { CreatedKey, Key, Keys } from './api.js';
import { Audit } from './audit.js';
import { unknown } from './problem.js';
import { isId, valid } from './validate.js';

const DAY_MS = 86_400_000;
const DAYS_MAX = 3650;

const newKeyBody = z.object({
  name: fieldText('The name', 100),
  scopes: z
    .array(z.enum(SCOPES, { error: `Expected scopes out of ${SCOPES.join(', ')}` }))
    .min(1, 'Choose at least one scope')
    .optional(),
  expiresInDays: z.number('Expected a number of days').min(1, `Expected 1 to ${DAYS_MAX} days`).max(DAYS_MAX, `Expected 1 to ${DAYS_MAX} days`).optional(),
  test: z.boolean('Expected true or false').default(false),
});

const owner = { role: 'owner' } satisfies RouteSettings;

/** The keys of an account. */
@Controller('/api/keys')
export class KeysController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Audit) private readonly audit: Audit,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<Keys> {
    return { keys: (await listKeys(this.database, visitorOf(request).accountId)).map(keyOf), scopes: SCOPES };
  }

  @Post()
  @HttpCode(200)
  @RouteConfig(owner)
  async create(@Req() request: FastifyRequest, @Body() given: unknown): Promise<CreatedKey> {
    const { name, scopes, expiresInDays, test } = valid(newKeyBody, given);
    const visitor = visitorOf(request);
    return inTransaction(this.database, async (transaction) => {
      const { keyId, key: secret } = await createKey(transaction, {
        accountId: visitor.accountId,
        name,
        scopes,
        test,
        expiresInMs: expiresInDays && expiresInDays * DAY_MS,
        createdBy: visitor.email,
      });
      await this.audit.note(visitor, { action: 'key.created', subject: name, detail: scopes?.join(', ') }, transaction);
      return { key: await this.one(keyId, visitor.accountId, transaction), secret };
    });
  }

  @Post('/:keyId/revoke')
  @HttpCode(200)
  @RouteConfig(owner)
  async revoke(@Req() request: FastifyRequest, @Param('keyId') keyId: string): Promise<Key> {
    if (!isId(keyId)) throw unknown('key');
    const visitor = visitorOf(request);
    try {
      return await inTransaction(this.database, async (transaction) => {
        await revokeKey(transaction, keyId, visitor.accountId);
        const key = await this.one(keyId, visitor.accountId, transaction);
        await this.audit.note(visitor, { action: 'key.revoked', subject: key.name, detail: `…${key.lastFour}` }, transaction);
        return key;
      });
    } catch (error) {
      if (error instanceof NotFound) throw unknown('key');
      throw error;
    }
  }

  private async one(keyId: string, accountId: string, transaction: Database): Promise<Key> {
    const key = (await listKeys(transaction, accountId)).find((one) => one.keyId === keyId);
    if (!key) throw unknown('key');
    return keyOf(key);
  }
}

const keyOf = ({ keyId, name, lastFour, test, scopes, createdBy, createdAt, expiresAt, lastUsedAt, revokedAt }: KeyView): Key => ({
  id: keyId,
  name,
  lastFour,
  test,
  scopes: scopes as Scope[] | null,
  createdBy,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
  revokedAt: revokedAt?.toISOString() ?? null,
});
