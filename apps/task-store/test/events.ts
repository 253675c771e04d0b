import { randomUUID } from 'node:crypto';
import { type Bus, SUBJECTS } from '@overheard/bus';
import {
  claimReply,
  claimRequest,
  type ClaimReply,
  type ClaimRequest,
  type FinishedEvent,
  finishedEvent,
  judged,
  type Outcome,
  type OutcomeNotice,
  outcomeNotice,
  type RecordedEvent,
  recordedEvent,
  standardError,
} from '@overheard/contracts';
import { until } from '@overheard/testing';

const INBOX = 'inbox.test';
const CLAIM_WITHIN_MS = 5000;

export const completed = (response: string): Outcome => ({ status: 'COMPLETED', response, quality: judged([{ id: 'answer_present', status: 'ok' }]) });
export const failed: Outcome = { status: 'FAILED', error: standardError('EXTERNAL_SERVICE_ERROR', { reason: 'unavailable' }) };

const finished = (id: string, outcome: Outcome, waiting: boolean): FinishedEvent => ({
  id,
  accountId: randomUUID(),
  provider: 'ANY',
  outcome,
  charge: outcome.status === 'COMPLETED',
  attempts: 1,
  route: 'live',
  timings: { queueMs: 1, upstreamMs: 2, parseMs: 3 },
  ...(waiting ? { inbox: INBOX } : {}),
});

/** A worker and a gateway in one, as the task-store sees them. */
export class Neighbours {
  private readonly notices = new Map<string, OutcomeNotice[]>();
  private readonly events = new Map<string, RecordedEvent[]>();
  private published = 0;

  constructor(private readonly bus: Bus) {
    bus.onNotice(INBOX, outcomeNotice, (notice) => keep(this.notices, notice));
    bus.onNotice(SUBJECTS.recorded, recordedEvent, (event) => keep(this.events, event));
  }

  /** Says how a task went, under a message id of its own each time. */
  async finish(id: string, outcome: Outcome, { waiting = true } = {}): Promise<void> {
    await this.bus.publish(SUBJECTS.finished, finishedEvent, finished(id, outcome, waiting), `finished:${id}:${(this.published += 1)}`);
  }

  claim = (id: string, rest: Partial<ClaimRequest> = {}): Promise<ClaimReply> =>
    this.bus.ask(
      SUBJECTS.claim,
      { schema: claimRequest, message: { id, accountId: randomUUID(), provider: 'ANY', route: 'live', deadlineMs: 60_000, inbox: INBOX, ...rest } },
      claimReply,
      CLAIM_WITHIN_MS,
    );

  /** What the waiting gateway was told of a task, or else all gateways; at least so many times. */
  noticesOf = (id: string, count = 1): Promise<OutcomeNotice[]> => until(`${count} notices of ${id}`, () => atLeast(this.notices.get(id), count));
  eventsOf = (id: string, count = 1): Promise<RecordedEvent[]> => until(`${count} events of ${id}`, () => atLeast(this.events.get(id), count));
}

function keep<Message extends { id: string }>(kept: Map<string, Message[]>, message: Message): void {
  kept.set(message.id, [...(kept.get(message.id) ?? []), message]);
}

const atLeast = <Message>(messages: Message[] = [], count: number): Message[] | false => messages.length >= count && messages;
