import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException, Inject } from '@nestjs/common';
import { type Logger, meter } from '@overheard/runtime';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from './api-error.js';
import { LOGGER } from './tokens.js';

const UNREAD_MAX_BYTES = 64 * 1024 * 1024;

/** The one place that turns whatever was thrown into an answer. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  private readonly errors = meter('gateway').createCounter('errors_answered_total', { description: 'Requests that were answered with an error' });

  constructor(@Inject(LOGGER) private readonly logger: Logger) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    this.answer(error, http.getRequest(), http.getResponse());
  }

  answer(error: unknown, request: FastifyRequest, reply: FastifyReply): void {
    // What the door decided comes before whatever the body is found to be (decision L4).
    const known = request.refusal ?? asApiError(error);
    if (!known) this.logger.error({ err: error, requestId: request.id, route: request.routeOptions?.url }, 'request failed by our fault');
    const answer = known ?? ApiError.of('INTERNAL_SERVER_ERROR');
    this.errors.add(1, { code: answer.asItem().error.code });
    const { status, body, headers } = answer;
    if (reply.sent || reply.raw.destroyed) return;
    // Fastify would cut the connection off, and a client that is still sending would never read why. Node reads the rest and throws it away.
    if (Number(request.headers['content-length']) <= UNREAD_MAX_BYTES) reply.removeHeader('connection');
    void reply.code(status).headers(headers).header('content-type', 'application/json; charset=utf-8').send(JSON.stringify(body));
  }
}

/** Undefined for a fault of ours. */
function asApiError(error: unknown): ApiError | undefined {
  if (error instanceof ApiError) return error;
  const status = error instanceof HttpException ? error.getStatus() : (error as { statusCode?: number }).statusCode;
  switch (status) {
    case 404:
      return ApiError.of('NOT_FOUND');
    case 413:
      return ApiError.of('PAYLOAD_TOO_LARGE');
    case 415:
      return ApiError.of('UNSUPPORTED_MEDIA_TYPE');
    case 400:
      return ApiError.invalid([{ field: 'body', message: 'The body could not be read: send a JSON object of the stated length' }]);
    default:
      return undefined;
  }
}
