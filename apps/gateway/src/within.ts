import type { CallHandler, ExecutionContext, NestInterceptor } from '@nestjs/common';
import { withinMs } from '@overheard/runtime';
import type { FastifyRequest } from 'fastify';
import { from, lastValueFrom, type Observable } from 'rxjs';
import { settingsOf } from './door/route-table.js';

/** A request is answered within 5 s, whatever is away (decision L5); this leaves time to say so. */
export const ANSWER_WITHIN_MS = 4500;

/** The work's result, or an error at the moment by which its request has to be answered; sooner, if something is to be done about it then. */
export const inTime = <T>({ answerBy }: FastifyRequest, work: Promise<T>, soonerMs = 0): Promise<T> =>
  withinMs(Math.max(0, answerBy - soonerMs - performance.now()), work);

/** Holds every route to that time, but for those that wait for something else and look after themselves. */
export class AnswerInTime implements NestInterceptor {
  intercept(context: ExecutionContext, next: CallHandler): Observable<unknown> {
    const request = context.switchToHttp().getRequest<FastifyRequest>();
    if (settingsOf(request).waits) return next.handle();
    return from(inTime(request, lastValueFrom(next.handle(), { defaultValue: undefined })));
  }
}
