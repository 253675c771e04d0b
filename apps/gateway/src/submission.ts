import { Inject, Injectable } from '@nestjs/common';
import { Bus, laneOf, SUBJECTS, SYNC_LANE } from '@overheard/bus';
import { PRIORITY_MIN, workMessage, type WorkMessage } from '@overheard/contracts';
import { Batcher, failpoint, type Logger, type Trace } from '@overheard/runtime';
import type { NewRequest, PublicationMark } from './requests.repository.js';
import { RequestsRepository } from './requests.repository.js';
import { LOGGER } from './tokens.js';

const BATCH_MAX = 500;
// Well below the two seconds after which a sweep takes a task for unpublished.
const MARKS_GATHER_MS = 100;

/** A task is given up 600 s after its first claim (decision L6). */
export const TASK_DEADLINE_MS = 600_000;

/** A synchronous request is waited for at an inbox, and its answer is of use only so long. */
export interface Submitted {
  request: NewRequest;
  deadlineMs: number;
  inbox?: string;
  trace?: Trace;
}

/** Puts admitted requests on their lanes, wakes the workers, and notes where in the stream each one stands. */
@Injectable()
export class Submission {
  private readonly marks: Batcher<PublicationMark>;

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(RequestsRepository) requests: RequestsRepository,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    this.marks = new Batcher((marks) => requests.markPublished(marks), { itemsMax: BATCH_MAX, gatherMs: MARKS_GATHER_MS });
  }

  /** Resolves after the PubAck. Publishing the same `time` twice is harmless: the message id is the same. */
  async publish({ request, deadlineMs, inbox, trace }: Submitted, time = 1): Promise<void> {
    failpoint('gateway.admitted');
    const { id, provider } = request;
    const message: WorkMessage = {
      id,
      accountId: request.account_id,
      provider,
      route: request.test ? 'sandbox' : 'live',
      payload: JSON.parse(request.payload) as Record<string, unknown>,
      admittedAt: Date.now(),
      deadlineMs,
      ...(inbox ? { inbox } : {}),
    };
    const lane = laneFor(request);
    const { seq } = await this.bus.publish(SUBJECTS.work(provider, lane), workMessage, message, `${id}:${time}`, trace);
    void this.ringFor(provider, lane);
    void this.marks
      .add({ id, seq, at: new Date().toISOString() })
      .catch((error: unknown) => this.logger.warn({ err: error, requestId: id }, 'publication not noted'));
  }

  private async ringFor(provider: string, lane: string): Promise<void> {
    // There a pull of every idle worker stands: the bell is for those that were busy.
    if (lane === SYNC_LANE) await this.bus.noHurry();
    this.bus.ring(SUBJECTS.wake(provider), lane);
  }
}

/** The lane of a request. Test keys run at the lowest priority, whatever was asked (decision A4). */
export function laneFor({ test, mode, priority }: NewRequest): string {
  if (test) return laneOf(PRIORITY_MIN);
  return mode === 'sync' ? SYNC_LANE : laneOf(priority);
}
