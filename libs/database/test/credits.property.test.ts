import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@overheard/testing';
import fc from 'fast-check';
import { accountOf, admit, anAccount, type Asked, asked, type Outcome, settle, wrongSums } from './moving-credits.js';
import { type Database, grantCredits } from '@overheard/database';

const ACCOUNTS = 2;
// `npm run chaos` plays many more.
const RUNS = Number(process.env['MONEY_RUNS'] ?? 30);
const CAPS = { queue: 3, testQueue: 1 };

let tested: TestDatabase;
let database: Database;
beforeAll(async () => {
  tested = await createTestDatabase();
  ({ database } = tested);
});
afterAll(() => tested.drop());

type Step =
  | { kind: 'grant'; account: number; credits: number }
  | { kind: 'admit'; batch: { account: number; credits: number; key: number | null; mode: 'sync' | 'async'; test: boolean; priority: number }[] }
  /** `which` counts the requests that were admitted so far, the latest first, so that outcomes repeat. */
  | { kind: 'settle'; batch: { which: number; status: Outcome['status']; charge: boolean }[] };

const account = fc.nat({ max: ACCOUNTS - 1 });
const one = fc.record({
  account,
  credits: fc.integer({ min: 0, max: 12 }),
  key: fc.option(fc.nat({ max: 3 })),
  mode: fc.constantFrom('sync' as const, 'async' as const),
  test: fc.boolean(),
  priority: fc.constantFrom(1, 2, 10),
});
const outcome = fc.record({
  which: fc.nat({ max: 6 }),
  status: fc.constantFrom('COMPLETED' as const, 'FAILED' as const, 'REFUSED' as const),
  charge: fc.boolean(),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('grant' as const), account, credits: fc.integer({ min: 1, max: 20 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('admit' as const), batch: fc.array(one, { minLength: 1, maxLength: 5 }) }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('settle' as const), batch: fc.array(outcome, { minLength: 1, maxLength: 4 }) }) },
);

/** What an account is supposed to be, in words that anybody can check. */
class Model {
  granted = 0;
  charged = 0;
  readonly open = new Map<string, Asked>();
  readonly keys = new Map<string, string>();

  get held(): number {
    return [...this.open.values()].reduce((sum, { credits }) => sum + credits, 0);
  }
  get balance(): number {
    return this.granted - this.charged - this.held;
  }
  tasks = (test: boolean): number => [...this.open.values()].filter((request) => request.mode === 'async' && request.test === test).length;
  get byPriority(): number[] {
    const counts = Array<number>(10).fill(0);
    for (const { mode, priority } of this.open.values()) if (mode === 'async') counts[priority - 1]! += 1;
    return counts;
  }

  admit(request: Asked): string {
    const { id, idempotency_key: key, mode, test, credits } = request;
    if (key !== null && this.keys.has(key)) return 'reused';
    if (mode === 'async' && this.tasks(test) >= (test ? CAPS.testQueue : CAPS.queue)) return 'queue_full';
    if (this.balance < credits) return 'no_credits';
    this.open.set(id, request);
    if (key !== null) this.keys.set(key, id);
    return 'admitted';
  }

  settle({ id, charge }: Outcome): void {
    if (charge) this.charged += this.open.get(id)?.credits ?? 0;
    this.open.delete(id);
  }

  get asRow() {
    const { granted, charged, balance, held: reserved, byPriority: outstanding_by_priority } = this;
    return { granted, charged, balance, reserved, outstanding: this.tasks(false), test_outstanding: this.tasks(true), outstanding_by_priority };
  }
}

/** Plays steps on the database and on the model, and compares them after each. */
async function play(steps: Step[]): Promise<void> {
  const accounts = await Promise.all(Array.from({ length: ACCOUNTS }, () => anAccount(database, 0)));
  const models = accounts.map(() => new Model());
  const admitted: { id: string; model: Model }[] = [];
  for (const step of steps) {
    if (step.kind === 'grant') {
      await grantCredits(database, accounts[step.account] as string, step.credits);
      (models[step.account] as Model).granted += step.credits;
    } else if (step.kind === 'admit') {
      const batch = step.batch.map(({ account: index, key, ...rest }) =>
        asked(accounts[index] as string, { ...rest, idempotency_key: key === null ? null : `key ${key}` }),
      );
      const results = await admit(database, batch, CAPS);
      for (const [index, request] of batch.entries()) {
        const model = models[step.batch[index]?.account as number] as Model;
        expect(results[index]?.outcome).toBe(model.admit(request));
        expect(results[index]?.balance).toBe(model.balance);
        if (results[index]?.outcome === 'reused') expect(results[index]?.first_id).toBe(model.keys.get(request.idempotency_key as string));
        if (results[index]?.outcome === 'admitted') admitted.unshift({ id: request.id, model });
      }
    } else {
      // The same request twice in one batch may be settled by either of its outcomes: the model is asked about the first only.
      const known = step.batch.flatMap(({ which, status, charge }) =>
        admitted[which] ? [{ ...admitted[which], status, charge: status === 'REFUSED' ? false : charge }] : [],
      );
      const batch = known.filter(({ id }, index) => known.findIndex((other) => other.id === id) === index);
      await settle(
        database,
        batch.map(({ id, status, charge }) => ({ id, status, charge })),
      );
      for (const { model, ...rest } of batch) model.settle(rest);
    }
    for (const [index, id] of accounts.entries()) expect(await accountOf(database, id)).toMatchObject((models[index] as Model).asRow);
  }
}

test(
  'whatever is granted, admitted and settled in whatever order, every account stands as arithmetic says',
  async () => {
    // A failure prints its seed and the shortest steps that show it; FAST_CHECK_SEED plays that one again.
    const seed = Number(process.env['FAST_CHECK_SEED'] ?? Date.now() % 2 ** 31);
    await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 15 }), play), { numRuns: RUNS, seed });
    expect(await wrongSums(database)).toEqual([]);
  },
  30_000 + RUNS * 1000,
);
