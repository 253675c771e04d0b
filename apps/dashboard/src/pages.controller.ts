import { Controller, Get, Inject, Post, Req, Res } from '@nestjs/common';
import { checkPassword, Database, listRequests, showAccount } from '@overheard/database';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { loginPage, requestsPage } from './pages.js';
import { Sessions } from './sessions.js';

const COOKIE = 'overheard_session';
const SHOWN = 100;

const credentials = z.object({ email: z.string(), password: z.string() });

@Controller()
export class PagesController {
  constructor(
    @Inject(Database) private readonly database: Database,
    @Inject(Sessions) private readonly sessions: Sessions,
  ) {}

  @Get('/')
  async requests(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const person = this.sessions.read(request.cookies[COOKIE]);
    if (!person) return show(reply, 200, loginPage());
    const [account, entries] = await Promise.all([showAccount(this.database, person.accountId), listRequests(this.database, person.accountId, SHOWN)]);
    show(reply, 200, requestsPage(person.email, account, entries));
  }

  @Post('/login')
  async login(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const given = credentials.safeParse(request.body);
    const person = given.success ? await checkPassword(this.database, given.data.email, given.data.password) : undefined;
    if (!person) return show(reply, 401, loginPage('That e-mail address and password do not belong together.'));
    // SameSite keeps other sites from acting in somebody's name.
    void reply.setCookie(COOKIE, this.sessions.open(person), { httpOnly: true, sameSite: 'strict', path: '/' }).redirect('/', 303);
  }

  @Post('/logout')
  logout(@Res() reply: FastifyReply): void {
    void reply.clearCookie(COOKIE, { path: '/' }).redirect('/', 303);
  }
}

function show(reply: FastifyReply, status: number, page: string): void {
  void reply
    .code(status)
    .headers({
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cache-control': 'no-store',
    })
    .send(page);
}
