import { Body, Controller, Get, HttpCode, Inject, Post, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { fieldText } from '@overheard/contracts';
import { checkPassword, createAccount, createPerson, Database, inTransaction, isAnybodyThere, listAccountsOf, setPassword } from '@overheard/database';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import * as z from 'zod';
import { giveCookie, type RouteSettings, takeCookie, visitorOf } from './access/access.js';
import { LoginThrottle } from './access/login-throttle.js';
import { Sessions, type Visitor } from './access/sessions.js';
import type { Session } from './api.js';
import { Audit } from './audit.js';
import type { Config } from './config.js';
import { Problem, unknown } from './problem.js';
import { CONFIG } from './tokens.js';
import { email, newPassword, valid } from './validate.js';

/** What an account has to spend at first when it is made here: by whoever operates this deployment, who can grant more. */
const FIRST_CREDITS = 1_000_000;

const setupBody = z.object({ accountName: fieldText('The name', 100), email, password: newPassword });
const loginBody = z.object({ email: fieldText('The e-mail address', 254), password: fieldText('Password', 1000) });
const switchBody = z.object({ accountId: z.guid('Expected an id') });
const passwordBody = z.object({ current: fieldText('The present password', 1000), next: newPassword });

const open = { open: true } satisfies RouteSettings;

/** Who is logged in. */
@Controller('/api')
export class SessionController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Sessions) private readonly sessions: Sessions,
    @Inject(LoginThrottle) private readonly throttle: LoginThrottle,
    @Inject(Audit) private readonly audit: Audit,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Get('/session')
  @RouteConfig(open)
  async session(@Req() request: FastifyRequest): Promise<Session> {
    if (request.visitor) return this.inAs(request.visitor);
    return { state: (await isAnybodyThere(this.database)) ? 'login' : 'setup' };
  }

  /** Makes the first account and the person who owns it. */
  @Post('/setup')
  @HttpCode(200)
  @RouteConfig(open)
  async setup(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Body() given: unknown): Promise<Session> {
    const { accountName, ...person } = valid(setupBody, given);
    const { personId, accountId } = await inTransaction(this.database, async (transaction) => {
      await sql`select pg_advisory_xact_lock(hashtext('first person'))`.execute(transaction);
      if (await isAnybodyThere(transaction)) throw new Problem(409, 'Somebody has set this up already. Log in, or ask them to add you.');
      const { accountId } = await createAccount(transaction, { name: accountName, credits: FIRST_CREDITS });
      const { personId, email } = await createPerson(transaction, { ...person, accountId });
      await this.audit.note({ accountId, email }, { action: 'account.created', subject: accountName }, transaction);
      return { personId, accountId };
    });
    return this.enter(request, reply, personId, accountId);
  }

  @Post('/login')
  @HttpCode(200)
  @RouteConfig(open)
  async login(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Body() given: unknown): Promise<Session> {
    const { email, password } = valid(loginBody, given);
    await this.throttle.count(request.ip, email);
    const person = await checkPassword(this.database, email, password);
    const [account] = person ? await listAccountsOf(this.database, person.personId) : [];
    if (!person || !account) throw new Problem(401, 'That e-mail address and password do not belong together.');
    await this.throttle.forgive(request.ip, email);
    return this.enter(request, reply, person.personId, account.accountId);
  }

  @Post('/logout')
  @HttpCode(200)
  @RouteConfig(open)
  async logout(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<Session> {
    if (request.visitor) await this.sessions.close(request.visitor);
    takeCookie(request, reply);
    return { state: 'login' };
  }

  @Post('/account')
  @HttpCode(200)
  async switchAccount(@Req() request: FastifyRequest, @Body() given: unknown): Promise<Session> {
    const { accountId } = valid(switchBody, given);
    const visitor = visitorOf(request);
    const account = (await listAccountsOf(this.database, visitor.personId)).find((one) => one.accountId === accountId);
    if (!account) throw unknown('account');
    await this.sessions.switchTo(visitor, accountId);
    return this.inAs({ ...visitor, accountId, accountName: account.name, role: account.role });
  }

  /** Replaces the own password. Whoever else is logged in with the old one is not any more. */
  @Post('/password')
  @HttpCode(200)
  async changePassword(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply, @Body() given: unknown): Promise<Session> {
    const { current, next } = valid(passwordBody, given);
    const visitor = visitorOf(request);
    await this.throttle.count(request.ip, visitor.email);
    if (!(await checkPassword(this.database, visitor.email, current))) {
      throw new Problem(400, 'That is not your present password.', { current: 'That is not your present password' });
    }
    await this.throttle.forgive(request.ip, visitor.email);
    await inTransaction(this.database, async (transaction) => {
      await setPassword(transaction, visitor.email, next);
      await this.audit.note(visitor, { action: 'person.password_changed', subject: visitor.email }, transaction);
    });
    return this.enter(request, reply, visitor.personId, visitor.accountId);
  }

  private async enter(request: FastifyRequest, reply: FastifyReply, personId: string, accountId: string): Promise<Session> {
    const token = await this.sessions.open(personId, accountId);
    const visitor = await this.sessions.find(token);
    if (!visitor) throw new Problem(401, 'You do not belong to this account any more.');
    giveCookie(request, reply, token);
    return this.inAs(visitor);
  }

  private async inAs({ personId, email, accountId, accountName, role }: Visitor): Promise<Session> {
    const accounts = await listAccountsOf(this.database, personId);
    return {
      state: 'in',
      person: { id: personId, email },
      account: { id: accountId, name: accountName, role },
      accounts: accounts.map((account) => ({ id: account.accountId, name: account.name, role: account.role })),
      apiUrl: this.config.PUBLIC_URL ?? this.config.GATEWAY_URL,
    };
  }
}
