import { setImmediate as nextTurn } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { decrypt, type DeliveryStatus, Undecipherable } from '@overheard/database';
import { Batcher, failpoint, inSpan, type Logger, meter, type Span, SpanKind, SpanStatusCode, systemClock, traceIn } from '@overheard/runtime';
import { AttemptReport } from './attempt-report.js';
import type { Config } from './config.js';
import { type Claim, DeliveriesRepository, type Outcome } from './deliveries.repository.js';
import { attemptsMaxOf, retryDelayMs } from './schedule.js';
import { type Answer, Sending } from './sending.js';
import { signatureHeaders } from './signature.js';
import { CONFIG, LOGGER } from './tokens.js';

const USER_AGENT = 'Overheard-Webhooks/1.0';
const CLAIM_MAX = 500;
const BEGUN_TOGETHER = 32;
const POLL_MS = 250;
const AFTER_FAULT_MS = 1000;
const LEASE_MS = 8000;
const RENEW_MS = 2500;
const RECORD_MAX = 200;
const DRAIN_MS = 20_000;
const STUCK_MS = 30_000;
const RUNG = 'rung';

/** The loop that sends what is due: claims it, sends it, writes down what came of it. */
@Injectable()
export class Dispatching implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly inFlight = new Map<Claim, Promise<void>>();
  private readonly recording: Batcher<Outcome, DeliveryStatus | undefined>;
  private bell = new AbortController();
  private loop: Promise<void> | undefined;
  private keepingLeases: NodeJS.Timeout | undefined;
  private stopping = false;
  private lastClaimAt = Date.now();

  constructor(
    @Inject(DeliveriesRepository) private readonly deliveries: DeliveriesRepository,
    @Inject(Sending) private readonly sending: Sending,
    @Inject(AttemptReport) private readonly report: AttemptReport,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {
    meter('webhooks')
      .createObservableGauge('webhooks_in_flight', { description: 'Deliveries that are being sent' })
      .addCallback((result) => result.observe(this.inFlight.size));
    this.recording = new Batcher((outcomes) => deliveries.record(outcomes), { itemsMax: RECORD_MAX });
  }

  onApplicationBootstrap(): void {
    this.loop = this.run();
    this.keepingLeases = setInterval(() => void this.keepLeases(), RENEW_MS);
  }

  /** Claims nothing new. */
  stopClaiming(): void {
    this.stopping = true;
    this.wake();
  }

  /** Lets what is under way end; whatever does not is due again when its lease ends. */
  async beforeApplicationShutdown(): Promise<void> {
    this.stopClaiming();
    await this.loop;
    const patience = new AbortController();
    await Promise.race([Promise.all(this.inFlight.values()), systemClock.sleep(DRAIN_MS, patience.signal)]);
    patience.abort();
    clearInterval(this.keepingLeases);
  }

  /** Something may be due now. */
  wake(): void {
    // With a reason of ours, since making the usual one costs more than all the rest.
    this.bell.abort(RUNG);
  }

  /** Throws when the loop has been stuck for a while. */
  assertAlive(): void {
    if (Date.now() - this.lastClaimAt > STUCK_MS) throw new Error('deliveries have not been looked for since long');
  }

  private async run(): Promise<void> {
    while (!this.stopping) {
      // A bell that rings from here on means: look once more.
      this.bell = new AbortController();
      const claims = await this.claim();
      this.begin(claims);
      if (claims.length === 0) await systemClock.sleep(POLL_MS, this.bell.signal);
    }
  }

  private async claim(): Promise<Claim[]> {
    const limit = Math.min(CLAIM_MAX, this.config.WEBHOOK_IN_FLIGHT_MAX - this.inFlight.size);
    try {
      const claims = limit > 0 ? await this.deliveries.claim(LEASE_MS, limit) : [];
      this.lastClaimAt = Date.now();
      return claims;
    } catch (error) {
      this.logger.warn({ err: error }, 'what is due can not be read');
      await systemClock.sleep(AFTER_FAULT_MS);
      return [];
    }
  }

  /** A few in each turn of the event loop, so that what quick receivers answer is read before the rest is sent: an attempt that is over soon costs less. */
  private begin(claims: Claim[]): void {
    let turn: Promise<unknown> = Promise.resolve();
    for (const [index, claim] of claims.entries()) {
      if (index > 0 && index % BEGUN_TOGETHER === 0) turn = turn.then(() => nextTurn());
      this.inFlight.set(
        claim,
        turn.then(() => this.carryOut(claim)),
      );
    }
  }

  private async carryOut(claim: Claim): Promise<void> {
    const { deliveryId, taskId, attempt, trace } = claim;
    try {
      const options = { kind: SpanKind.CLIENT, attributes: { deliveryId, taskId, attempt }, parent: traceIn({ traceparent: trace }) };
      await inSpan('delivery attempt', options, (_trace, span) => this.attempt(claim, span));
    } catch (error) {
      // What was not sent, or could not be recorded, counts as interrupted once its lease ends.
      this.logger.error({ err: error, deliveryId, attempt }, 'delivery attempt interrupted');
    } finally {
      this.inFlight.delete(claim);
      this.wake();
    }
  }

  private async attempt(claim: Claim, span: Span): Promise<void> {
    const answer = await this.send(claim);
    if (answer.statusCode !== null) span.setAttribute('http.response.status_code', answer.statusCode);
    if (answer.error !== null) span.setStatus({ code: SpanStatusCode.ERROR, message: answer.error });
    failpoint('webhook-dispatcher.sent');
    const status = await this.record(claim, answer);
    this.report.write(claim, answer, status);
  }

  private async send(claim: Claim): Promise<Answer> {
    const body = await this.deliveries.readBody(claim);
    const headers: Record<string, string> = { 'Content-Type': 'application/json', 'User-Agent': USER_AGENT };
    try {
      if (claim.secret) Object.assign(headers, this.signature(claim, body, claim.secret));
    } catch (error) {
      // Unsigned it must not go out, and a receiver can not help it.
      if (!(error instanceof Undecipherable)) throw error;
      this.logger.error({ err: error, accountId: claim.accountId }, 'delivery can not be signed');
      return { statusCode: null, error: 'the delivery could not be signed', durationMs: 0, answer: null };
    }
    return this.sending.post({ url: claim.url, headers, body });
  }

  private signature({ taskId, accountId, attempt }: Claim, body: Buffer, stored: Buffer): Record<string, string> {
    const secret = decrypt(this.config.ENCRYPTION_KEY, accountId, stored);
    return signatureHeaders({ taskId, attempt, body, secret, timestamp: Math.floor(Date.now() / 1000) });
  }

  /** Tries for as long as it takes a database to be there again, so that a receiver that acknowledged gets it no second time. */
  private async record({ deliveryId, attempt }: Claim, answer: Answer): Promise<DeliveryStatus | undefined> {
    const delays = this.config.WEBHOOK_RETRY_DELAYS;
    const isLast = attempt >= attemptsMaxOf(delays);
    const outcome = { deliveryId, attempt, ...answer, retryDelayMs: isLast ? null : retryDelayMs(attempt, delays) };
    for (;;) {
      try {
        return await this.recording.add(outcome);
      } catch (error) {
        if (this.stopping) throw error;
        this.logger.warn({ err: error, deliveryId, attempt }, 'delivery attempt not recorded yet');
        await systemClock.sleep(AFTER_FAULT_MS);
      }
    }
  }

  private async keepLeases(): Promise<void> {
    try {
      const claims = [...this.inFlight.keys()];
      if (claims.length > 0) await this.deliveries.renew(claims, LEASE_MS);
      if ((await this.deliveries.recover(attemptsMaxOf(this.config.WEBHOOK_RETRY_DELAYS))) > 0) this.wake();
    } catch (error) {
      this.logger.warn({ err: error }, 'leases not kept');
    }
  }
}
