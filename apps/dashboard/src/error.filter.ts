import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import type { Logger } from '@overheard/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Problem } from './problem.js';
import { LOGGER } from './tokens.js';

/** The one place that turns whatever was thrown into an answer. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<FastifyRequest>();
    const reply = host.switchToHttp().getResponse<FastifyReply>();
    const known = error instanceof Problem ? error : problemOf(error);
    if (!known) this.logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed by our fault');
    const { status, body, headers } = known ?? new Problem(500, 'Something went wrong on our side. Try again; the dashboard’s log says more.');
    if (reply.sent || reply.raw.destroyed) return;
    void reply.code(status).headers(headers).send(body);
  }
}

/** What Fastify or Nest refused; undefined for a fault of ours. */
function problemOf(error: unknown): Problem | undefined {
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number }).statusCode;
  switch (status) {
    case 400:
      return new Problem(400, 'The body is not valid JSON.');
    case 404:
      return new Problem(404, 'There is no such address here.');
    case 413:
      return new Problem(413, 'That is too long.');
    case 415:
      return new Problem(415, 'The body must be sent as application/json.');
    default:
      return undefined;
  }
}
