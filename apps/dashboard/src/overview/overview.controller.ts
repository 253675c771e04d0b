import { Controller, Get, Inject, Query, Req } from '@nestjs/common';
import { Bus } from '@overheard/bus';
import type { Presence, StandardError } from '@overheard/contracts';
import { Database, showAccount } from '@overheard/database';
import { contracts } from '@overheard/providers/contracts';
import type { FastifyRequest } from 'fastify';
import * as z from 'zod';
import { visitorOf } from '../access/access.js';
import type { Performance, PerformanceFigures, ProviderStatus, Queue, Status, Usage } from '../api.js';
import { Gateway } from '../runs/gateway.js';
import { valid } from '../validate.js';
import { type Days, type FiguresRow, type LatestRow, LOOKED_AT_MAX, OverviewRepository } from './overview.repository.js';

const DAY_MS = 86_400_000;
const USAGE_DAYS = { byDefault: 30, most: 366 };
const PERFORMANCE_DAYS = { byDefault: 7, most: 31 };

/** Those that ought to be there; the sandbox is on no bus. */
const SERVICES = ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard'];

const day = z.iso.date('Expected a day such as 2026-01-31').optional();
const rangeQuery = z.object({ from: day, to: day });
const performanceQuery = rangeQuery.extend({ mode: z.enum(['sync', 'async'], { error: 'Expected sync or async' }).optional() });

/** What goes on in an account and in the deployment. */
@Controller('/api')
export class OverviewController {
  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(Database) private readonly database: Database,
    @Inject(Gateway) private readonly gateway: Gateway,
    @Inject(OverviewRepository) private readonly overview: OverviewRepository,
  ) {}

  @Get('/queue')
  async queue(@Req() request: FastifyRequest): Promise<Queue> {
    const [outstanding, present] = await Promise.all([this.overview.outstanding(visitorOf(request).accountId), this.present()]);
    const oldestAt = outstanding.map((one) => one.oldestAt).sort()[0] ?? null;
    const workers = present?.filter(({ service }) => service === 'worker').map(({ id, since, serves }) => ({ id, since, providers: serves })) ?? null;
    return { outstanding, oldestAt, workers };
  }

  @Get('/usage')
  async usage(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Usage> {
    const { accountId } = visitorOf(request);
    const range = await this.daysOf(valid(rangeQuery, given), USAGE_DAYS);
    const [account, days, keys] = await Promise.all([
      showAccount(this.database, accountId),
      this.overview.usageByDay(accountId, range),
      this.overview.usageByKey(accountId, range),
    ]);
    const { granted, balance, reserved, charged } = account;
    return { ...range, credits: { granted, balance, reserved, charged }, days, keys };
  }

  @Get('/performance')
  async performance(@Req() request: FastifyRequest, @Query() given: unknown): Promise<Performance> {
    const { mode, ...asked } = valid(performanceQuery, given);
    const range = await this.daysOf(asked, PERFORMANCE_DAYS);
    const rows = await this.overview.figures(visitorOf(request).accountId, range, mode);
    const providers = rows.filter(({ country }) => country === null);
    const seen = providers.reduce((sum, { ok, failed }) => sum + ok + failed, 0);
    return {
      ...range,
      isPartial: seen >= LOOKED_AT_MAX,
      providers: providers.map((row) => ({ provider: row.provider, ...figuresOf(row) })),
      countries: rows.flatMap((row) => (row.country === null ? [] : [{ provider: row.provider, country: row.country, ...figuresOf(row) }])),
    };
  }

  @Get('/status')
  async status(@Req() request: FastifyRequest): Promise<Status> {
    const [present, latest, ...dependencies] = await Promise.all([
      this.present(),
      this.overview.latest(visitorOf(request).accountId),
      dependency('PostgreSQL', () => this.overview.now()),
      dependency('NATS', () => this.bus.ready()),
      dependency('API', () => this.gateway.ping()),
    ]);
    return {
      dependencies,
      services:
        present && SERVICES.map((name) => ({ name, instances: present.filter(({ service }) => service === name).map(({ id, since }) => ({ id, since })) })),
      providers: contracts.map(({ id, label }) => ({ provider: id, label, ...servedBy(id, present ?? []), ...latestOf(id, latest) })),
    };
  }

  /** Null when the bus is away: else this very process would have answered. */
  private async present(): Promise<Presence[] | null> {
    const present = await this.bus.rollCall().catch(() => []);
    return present.length > 0 ? present : null;
  }

  private async daysOf(
    { from, to }: { from?: string | undefined; to?: string | undefined },
    { byDefault, most }: { byDefault: number; most: number },
  ): Promise<Days> {
    const last = to ?? dayOf((await this.overview.now()).getTime());
    const first = from ?? dayOf(Date.parse(last) - (byDefault - 1) * DAY_MS);
    const length = z
      .number()
      .min(0, 'The first day must not be after the last')
      .max(most - 1, `At most ${most} days`);
    valid(z.object({ from: length }), { from: (Date.parse(last) - Date.parse(first)) / DAY_MS });
    return { from: first, to: last };
  }
}

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

const figuresOf = ({ ok, failed, percentiles }: FiguresRow): PerformanceFigures => {
  const [p50 = null, p95 = null, p99 = null] = (percentiles ?? []).map((ms) => Math.round(ms));
  return { ok, failed, p50, p95, p99 };
};

async function dependency(name: Status['dependencies'][number]['name'], ask: () => Promise<unknown>): Promise<Status['dependencies'][number]> {
  const began = performance.now();
  try {
    await ask();
    return { name, isUp: true, ms: Math.round(performance.now() - began), problem: null };
  } catch (error) {
    return { name, isUp: false, ms: null, problem: error instanceof Error ? error.message : 'It does not answer.' };
  }
}

function servedBy(provider: string, present: Presence[]): Pick<ProviderStatus, 'upstream' | 'workers'> {
  const shares = present.flatMap(({ serves }) => serves.filter((share) => share.provider === provider));
  return { upstream: shares[0]?.upstream ?? null, workers: shares.length };
}

function latestOf(provider: string, latest: LatestRow[]): Pick<ProviderStatus, 'lastOkAt' | 'lastError'> {
  const of = (isOk: boolean) => latest.find((row) => row.provider === provider && row.isOk === isOk);
  const failed = of(false);
  const error = failed?.error ? (JSON.parse(failed.error) as StandardError) : undefined;
  return {
    lastOkAt: of(true)?.at.toISOString() ?? null,
    lastError: failed
      ? {
          requestId: failed.id,
          at: failed.at.toISOString(),
          reason: String(error?.details?.['reason'] ?? error?.code ?? failed.statusCode),
          message: error?.message ?? `Answered ${failed.statusCode}`,
        }
      : null,
  };
}
