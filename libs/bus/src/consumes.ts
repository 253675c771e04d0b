import { applyDecorators, Catch, type RpcExceptionFilter, UseFilters } from '@nestjs/common';
import { EventPattern } from '@nestjs/microservices';
import { throwError, type Observable } from 'rxjs';

/** Passes errors of handlers on as they are; Nest's own filter would replace them by "Internal server error". */
@Catch()
class RethrowFilter implements RpcExceptionFilter {
  catch(error: unknown): Observable<never> {
    return throwError(() => error);
  }
}

/** Marks the method that takes the messages of the strategy's readers of that name. */
export const Consumes = (readers: string): MethodDecorator => applyDecorators(EventPattern<string>(readers) as MethodDecorator, UseFilters(RethrowFilter));
