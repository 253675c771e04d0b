import { Inject, Injectable } from '@nestjs/common';
import { isAtLeast, type Role } from '@overheard/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from '../problem.js';
import { SESSION_S, Sessions, type Visitor } from './sessions.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set by `Access`; null on routes that are open. */
    visitor: Visitor | null;
  }
}

/** What a route says about itself, by Nest's `@RouteConfig`. */
export interface RouteSettings {
  /** The least role that may use it; absent: viewer. */
  role?: Role;
  /** Needs no session. */
  open?: boolean;
}

const COOKIE = 'overheard_session';
const NEEDED: Record<Role, string> = {
  viewer: 'You can’t see this.',
  member: 'You can look at this account, but not act in it. Ask an owner for the role “member”.',
  owner: 'Only an owner of this account can do that.',
};

/** Whoever has passed. */
export function visitorOf(request: FastifyRequest): Visitor {
  if (!request.visitor) throw new Error(`${request.url} was answered without a session`);
  return request.visitor;
}

/** What is looked at before anything of the API is done: that the request is from our own pages, who it is from, and that they may. */
@Injectable()
export class Access {
  constructor(@Inject(Sessions) private readonly sessions: Sessions) {}

  guard(server: FastifyInstance): void {
    server.decorateRequest('visitor', null);
    server.addHook('onRequest', async (request, reply) => {
      if (!isApi(request)) return;
      void reply.header('cache-control', 'no-store');
      if (request.method !== 'GET' && request.method !== 'HEAD') refuseForeign(request);
      const { open, role = 'viewer' } = (request.routeOptions.config ?? {}) as RouteSettings;
      request.visitor = (await this.sessions.find(request.cookies[COOKIE])) ?? null;
      if (open) return;
      if (!request.visitor) throw new Problem(401, 'Log in first.');
      if (!isAtLeast(request.visitor.role, role)) throw new Problem(403, NEEDED[role]);
    });
  }
}

const isApi = ({ url }: FastifyRequest): boolean => /^\/api(\/|$|\?)/.test(url);

/** SameSite keeps the cookie from other sites; this keeps out other origins of the same site, such as another port, as well. */
function refuseForeign({ headers, protocol, host }: FastifyRequest): void {
  const site = headers['sec-fetch-site'];
  const isForeign = site === undefined ? headers.origin !== undefined && headers.origin !== `${protocol}://${host}` : site !== 'same-origin';
  if (isForeign) throw new Problem(403, 'This request comes from another site.');
  // No form of another site can send this type.
  if (!/^application\/json\b/i.test(headers['content-type'] ?? '')) throw new Problem(415, 'The body must be sent as application/json.');
}

/** Hands the session over. */
export function giveCookie(request: FastifyRequest, reply: FastifyReply, token: string): void {
  void reply.setCookie(COOKIE, token, { ...cookieOptions(request), maxAge: SESSION_S });
}

export function takeCookie(request: FastifyRequest, reply: FastifyReply): void {
  void reply.clearCookie(COOKIE, cookieOptions(request));
}

const cookieOptions = ({ protocol }: FastifyRequest) => ({ httpOnly: true, sameSite: 'strict' as const, path: '/', secure: protocol === 'https' });
