import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import {
  attemptFailed,
  claimReply,
  type ClaimReply,
  claimRequest,
  type ClaimRequest,
  RETRIES_EXCEEDED,
  standardError,
  upstreamError,
  type AttemptFailed,
} from '@overheard/contracts';
import { Batcher, counterFromZero } from '@overheard/runtime';
import { CONFIG } from './tokens.js';
import type { Config } from './config.js';
import { Recording } from './recording.js';
import { TasksRepository, type Claim } from './tasks.repository.js';

const BATCH_MAX = 500;
const VERDICTS = ['go', 'over', 'late', 'exhausted'];

/** Answers workers' questions whether a task is theirs to run. A refused claim that leaves a task unfinished finishes it. */
@Injectable()
export class Claims implements OnApplicationBootstrap {
  private readonly batches: Batcher<ClaimRequest, Claim>;
  private readonly attempts: Batcher<AttemptFailed>;
  private readonly verdicts = counterFromZero(
    'task-store',
    'claims_total',
    "Workers' claims by what they were told",
    VERDICTS.map((verdict) => ({ verdict })),
  );

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Recording) private readonly recording: Recording,
    @Inject(TasksRepository) tasks: TasksRepository,
    @Inject(CONFIG) config: Config,
  ) {
    this.batches = new Batcher((requests) => tasks.claim(requests, config.CLAIMS_MAX), { itemsMax: BATCH_MAX });
    this.attempts = new Batcher((failed) => tasks.countAttempts(failed), { itemsMax: BATCH_MAX });
  }

  onApplicationBootstrap(): void {
    this.bus.onQuestion(SUBJECTS.claim, claimRequest, claimReply, (request) => this.answer(request));
    // Lost counts only mean that a task may be asked once more than it should after a crash.
    this.bus.onNotice(SUBJECTS.attemptFailed, attemptFailed, (failed) => void this.attempts.add(failed).catch(() => undefined));
  }

  private async answer(request: ClaimRequest): Promise<ClaimReply> {
    const claim = await this.batches.add(request);
    this.verdicts.add(1, { verdict: claim.verdict });
    if (claim.verdict === 'go') return { verdict: 'go', attempts: claim.attempts, remainingMs: claim.remainingMs, nowMs: claim.nowMs };
    if (claim.verdict !== 'over') await this.giveUp(request, claim.verdict);
    return { verdict: 'over' };
  }

  /** A task that killed every worker that took it, or that came back after its time. */
  private async giveUp({ id, accountId, provider, route, inbox }: ClaimRequest, why: 'exhausted' | 'late'): Promise<void> {
    const error = why === 'late' ? upstreamError(provider, 'timeout', 0) : standardError('INTERNAL_SERVER_ERROR', undefined, RETRIES_EXCEEDED);
    await this.recording.finish({
      id,
      accountId,
      provider,
      outcome: { status: 'FAILED', error },
      charge: false,
      attempts: 0,
      route,
      timings: { queueMs: 0, upstreamMs: 0, parseMs: 0 },
      ...(inbox ? { inbox } : {}),
    });
  }
}
