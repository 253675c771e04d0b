import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { Bus } from '@overheard/bus';
import { contractOf } from '@overheard/providers/contracts';
import { type Logger, repairCounter, Repeating } from '@overheard/runtime';
import { Cancellation } from './cancellation.js';
import type { Config } from './config.js';
import { Settlement } from './settlement.js';
import { laneFor, Submission, TASK_DEADLINE_MS } from './submission.js';
import { type OpenRequest, SweepsRepository } from './sweeps.repository.js';
import { CONFIG, LOGGER } from './tokens.js';

const RELAY_MS = 2000;
const SWEEP_MS = 15_000;
const UPKEEP_MS = 3_600_000;
const BATCH = 1000;
const PAGES_MAX = 20;
const OVERLAP_MS = 60_000;
/** The sweeps' letters are those of architecture.md. */
const REPAIR = { unpublished: 'a-unpublished', lost: 'b-lost', unsettled: 'c-unsettled', neverSent: 'd-never-sent', forgotten: 'e-forgotten' } as const;
type Repair = (typeof REPAIR)[keyof typeof REPAIR];
const FIRST_ID = '00000000-0000-0000-0000-000000000000';

/** Each sweep repairs one kind of lost message; a healthy queue is touched by none of them (architecture.md, step 7). */
@Injectable()
export class Sweeps implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly repeating: Repeating[];
  private readonly relay: Repeating;
  private readonly countRepair = repairCounter(...Object.values(REPAIR));
  private cursor = FIRST_ID;
  private settledUntil: Date;

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Cancellation) private readonly cancellation: Cancellation,
    @Inject(Settlement) private readonly settlement: Settlement,
    @Inject(Submission) private readonly submission: Submission,
    @Inject(SweepsRepository) private readonly lost: SweepsRepository,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    // What ended before this process began is looked through once.
    this.settledUntil = new Date(Date.now() - config.TASK_RETENTION);
    const sweep = (name: string, everyMs: number, work: () => Promise<void>) => new Repeating(name, everyMs, () => lost.alone(work), logger);
    this.relay = sweep('publish the unpublished', RELAY_MS, () => this.publishUnpublished());
    this.repeating = [
      this.relay,
      sweep('repair', SWEEP_MS, () => this.repair()),
      sweep('empty expired payloads', Math.min(SWEEP_MS, config.TASK_RETENTION / 10), () => this.emptyExpired()),
      sweep('turn partitions', UPKEEP_MS, () => this.turnPartitions()),
    ];
  }

  onApplicationBootstrap(): void {
    for (const one of this.repeating) one.start();
    this.bus.onReconnect(() => void this.relay.now());
  }

  async onApplicationShutdown(): Promise<void> {
    await Promise.all(this.repeating.map((one) => one.stop()));
  }

  /** (a) A gateway died, or the bus was away, between commit and publication. */
  async publishUnpublished(): Promise<void> {
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const requests = await this.lost.findUnpublished(BATCH);
      await this.publish(requests, REPAIR.unpublished);
      if (requests.length < BATCH) return;
    }
  }

  async repair(): Promise<void> {
    await this.republishLost();
    await this.settleUnsettled();
    await this.refuseNeverSent();
    await this.endForgotten();
  }

  /** (b) The stream lost a message: its disk is gone, or it was purged. */
  async republishLost(): Promise<void> {
    if (await this.bus.isOutcomeBehind()) return;
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const requests = await this.lost.findPublished(this.cursor, BATCH);
      this.cursor = requests.length < BATCH ? FIRST_ID : (requests.at(-1)?.id ?? FIRST_ID);
      const lost = await this.bus.findLost(
        requests.map((request) => ({ request, id: request.id, provider: request.provider, lane: laneFor(request), seq: request.published_seq })),
      );
      await this.publish(
        lost.map(({ request }) => request),
        REPAIR.lost,
      );
      // A healthy page costs one turn; losses are followed up at once.
      if (lost.length === 0 || requests.length < BATCH) return;
    }
  }

  /** (c) The news that a task was recorded got lost. */
  async settleUnsettled(): Promise<void> {
    const until = new Date();
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const recorded = await this.lost.findUnsettled(this.settledUntil, BATCH);
      for (const event of recorded) {
        await this.settlement.settle(event);
        this.found(REPAIR.unsettled, { requestId: event.id });
      }
      if (recorded.length < BATCH) break;
    }
    this.settledUntil = new Date(until.getTime() - OVERLAP_MS);
  }

  /** (d) Whoever waited for it is gone with its gateway. */
  async refuseNeverSent(): Promise<void> {
    for (const { id } of await this.lost.findNeverSent(BATCH)) {
      await this.settlement.settle({ id, status: 'REFUSED', charge: false, statusCode: 500, completedAt: new Date().toISOString() });
      this.found(REPAIR.neverSent, { requestId: id });
    }
  }

  /** (e) Nobody took it up for a day: no worker serves its provider. */
  async endForgotten(): Promise<void> {
    for (const request of await this.lost.findForgotten(BATCH)) {
      await this.cancellation.tooLate(request, contractOf(request.provider)?.label ?? request.provider);
      this.found(REPAIR.forgotten, { requestId: request.id });
    }
  }

  private async publish(requests: OpenRequest[], repair: Repair): Promise<void> {
    for (const request of requests) {
      await this.submission.publish({ request, deadlineMs: TASK_DEADLINE_MS }, request.publish_count + 1);
      this.found(repair, { requestId: request.id, times: request.publish_count + 1 });
    }
  }

  private found(repair: Repair, fields: object): void {
    this.countRepair(repair);
    this.logger.warn({ repair, ...fields }, 'repaired by the sweep');
  }

  private async emptyExpired(): Promise<void> {
    while ((await this.lost.emptyExpired(this.config.TASK_RETENTION, BATCH)) === BATCH);
  }

  private async turnPartitions(): Promise<void> {
    const dropped = await this.lost.turnPartitions(this.config.REQUEST_LOG_RETENTION);
    if (dropped.length > 0) this.logger.info({ dropped }, 'request log: old days dropped');
  }
}
