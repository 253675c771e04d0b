import { setMaxListeners } from 'node:events';
import { type Bus, decode, type DeliveryContext, JetStreamStrategy, LaneReader, SUBJECTS, TryLater } from '@overheard/bus';
import { claimReply, claimRequest, type FinishedEvent, finishedEvent, judged, type Outcome, workMessage, type WorkMessage } from '@overheard/contracts';
import { silentLogger } from '@overheard/testing';

const CLAIM_WITHIN_MS = 10_000;
const PROVIDER = 'CHATGPT';
const SLOTS = 50;

/** How a run ended. */
export type Ending = Pick<FinishedEvent, 'outcome'> & Partial<Pick<FinishedEvent, 'charge' | 'attempts' | 'route' | 'timings'>>;

/** A result that is sound: the provider's, of which only some fields matter to the test; a text is taken as it is. */
export const completed = (result: object | string): Outcome => ({
  status: 'COMPLETED',
  response: typeof result === 'string' ? result : JSON.stringify({ model: 'stand-in', sources: [], ...result }),
  quality: judged([{ id: 'answer_present', status: 'ok' }]),
});

/**
 * Takes the place of a provider's workers: claims tasks, says to each what the test wants said, and is told nothing about engines.
 * A task whose ending never comes stays at work.
 */
export async function standInWorker(bus: Bus, end: (work: WorkMessage) => Ending | Promise<Ending>): Promise<{ close(): Promise<void> }> {
  let isKnown = false;
  const run = async (data: Uint8Array, { signal }: DeliveryContext) => {
    // Each task that is at work listens to it.
    if (!isKnown) setMaxListeners(0, signal);
    isKnown = true;
    const work = decode(workMessage, data, 'work');
    const { id, accountId, provider, route, deadlineMs, inbox } = work;
    const addressed = inbox ? { inbox } : {};
    const claim = await bus.ask(
      SUBJECTS.claim,
      { schema: claimRequest, message: { id, accountId, provider, route, deadlineMs, ...addressed } },
      claimReply,
      CLAIM_WITHIN_MS,
    );
    if (claim.verdict === 'over') return;
    const ending = await Promise.race([end(work), stopped(signal)]);
    const event = { charge: ending.outcome.status === 'COMPLETED', attempts: 1, route, timings: { queueMs: 1, upstreamMs: 2, parseMs: 3 }, ...ending };
    await bus.publish(SUBJECTS.finished, finishedEvent, { id, accountId, provider, ...event, ...addressed }, `finished:${id}`);
  };
  const lanes = new LaneReader(bus, PROVIDER, SLOTS);
  const strategy = new JetStreamStrategy({ bus, logger: silentLogger(), readers: { work: [lanes] }, drainMs: 0 });
  strategy.addHandler('work', run, true);
  await new Promise<void>((resolve, reject) => strategy.listen((error) => (error ? reject(error as Error) : resolve())));
  return { close: () => strategy.close() };
}

/** Tasks that are meant to stay at work are given back at the end. */
const stopped = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    const giveBack = () => reject(new TryLater(0));
    if (signal.aborted) giveBack();
    else signal.addEventListener('abort', giveBack);
  });

/** An ending that never comes. */
export const never = (): Promise<never> => new Promise(() => undefined);
