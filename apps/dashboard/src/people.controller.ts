import { Body, Controller, Get, HttpCode, Inject, Param, Post, Query, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ROLES } from '@overheard/contracts';
import { changeRole, createPerson, Database, inTransaction, LastOwner, listPeople, type MemberView, NotFound, removePerson } from '@overheard/database';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { type RouteSettings, visitorOf } from './access/access.js';
import type { Visitor } from './access/sessions.js';
import type { AuditPage, People, Person } from './api.js';
import { Audit } from './audit.js';
import { Problem, unknown } from './problem.js';
import { email, isId, limit, newPassword, valid } from './validate.js';

const role = z.enum(ROLES, { error: `Expected a role: ${ROLES.join(', ')}` });
const inviteBody = z.object({ email, password: newPassword, role });
const roleBody = z.object({ role });
const pageQuery = z.object({ cursor: z.coerce.number('Expected the nextCursor of the page before').int().positive().optional(), limit });

const owner = { role: 'owner' } satisfies RouteSettings;

/** The people of an account, and what they changed. */
@Controller('/api')
export class PeopleController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Audit) private readonly audit: Audit,
  ) {}

  @Get('/people')
  async list(@Req() request: FastifyRequest): Promise<People> {
    const visitor = visitorOf(request);
    return { people: (await listPeople(this.database, visitor.accountId)).map((member) => personOf(member, visitor)) };
  }

  @Post('/people')
  @HttpCode(200)
  @RouteConfig(owner)
  async invite(@Req() request: FastifyRequest, @Body() given: unknown): Promise<Person> {
    const { email, password, role } = valid(inviteBody, given);
    const visitor = visitorOf(request);
    return inTransaction(this.database, async (transaction) => {
      const person = await createPerson(transaction, { email, password, role, accountId: visitor.accountId });
      if (!person.isAdded) throw new Problem(409, 'That person belongs to this account already.', { email: 'Belongs to this account already' });
      await this.audit.note(visitor, { action: 'person.added', subject: person.email, detail: role }, transaction);
      return personOf({ ...person, role, since: new Date() }, visitor);
    });
  }

  @Post('/people/:personId/role')
  @HttpCode(200)
  @RouteConfig(owner)
  async changeRole(@Req() request: FastifyRequest, @Param('personId') personId: string, @Body() given: unknown): Promise<Person> {
    const { role } = valid(roleBody, given);
    const visitor = visitorOf(request);
    return this.changing(personId, async (transaction) => {
      const member = await changeRole(transaction, { accountId: visitor.accountId, personId, role });
      await this.audit.note(visitor, { action: 'person.role_changed', subject: member.email, detail: role }, transaction);
      return personOf(member, visitor);
    });
  }

  @Post('/people/:personId/remove')
  @HttpCode(200)
  @RouteConfig(owner)
  async remove(@Req() request: FastifyRequest, @Param('personId') personId: string): Promise<object> {
    const visitor = visitorOf(request);
    return this.changing(personId, async (transaction) => {
      const { email } = await removePerson(transaction, { accountId: visitor.accountId, personId });
      await this.audit.note(visitor, { action: 'person.removed', subject: email }, transaction);
      return {};
    });
  }

  @Get('/audit')
  @RouteConfig(owner)
  auditLog(@Req() request: FastifyRequest, @Query() given: unknown): Promise<AuditPage> {
    return this.audit.list(visitorOf(request).accountId, valid(pageQuery, given));
  }

  private async changing<T>(personId: string, work: (transaction: Database) => Promise<T>): Promise<T> {
    if (!isId(personId)) throw unknown('person');
    try {
      return await inTransaction(this.database, work);
    } catch (error) {
      if (error instanceof NotFound) throw unknown('person');
      if (error instanceof LastOwner) throw new Problem(409, 'An account needs an owner. Make somebody else an owner first.');
      throw error;
    }
  }
}

const personOf = ({ personId, email, role, since }: MemberView, visitor: Visitor): Person => ({
  id: personId,
  email,
  role,
  since: since.toISOString(),
  isSelf: personId === visitor.personId,
});
