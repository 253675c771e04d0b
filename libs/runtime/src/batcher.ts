import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/** What a batcher does with a batch: one result for each item, in order, or none at all. Throwing fails all of them. */
export type Flush<Item, Result> = (items: Item[]) => Promise<Result[] | void>;

export interface BatcherOptions<Item> {
  /** The most items of one batch. */
  itemsMax: number;
  /** The most weight of one batch; an item heavier than that travels alone. */
  weightMax?: number;
  weigh?: (item: Item) => number;
  /** Whether a batch's failure is some item's own fault, so that the batch is run again item by item. By default none is. */
  isItemsFault?: (error: unknown) => boolean;
  /** For work that nobody waits for: every batch gathers that long. */
  gatherMs?: number;
}

interface Waiting<Item, Result> {
  item: Item;
  resolve: (result: Result) => void;
  reject: (error: unknown) => void;
}

// A round trip costs as much as a dozen rows: at load it pays to let a few more come, as long as a batch takes, unless enough are there.
const ENOUGH = 16;
const GATHER_MAX_MS = 5;
const CROWDED_MS = 50;

/**
 * Natural batching: while one batch is at work the next one gathers. A lone item goes at once; under load, when the last
 * batch had several, the next one gathers for as long as that took, at most a few milliseconds. A batch that fails by an item's fault is run again
 * item by item, so that only the guilty one fails; any other failure (the database is away) is everybody's at once.
 */
export class Batcher<Item, Result = void> {
  private waiting: Waiting<Item, Result>[] = [];
  private running: Promise<void> | undefined;
  /** When the last batch of several items ended, on the clock of `performance.now()`. */
  private crowdedAt = -Infinity;
  /** How long the last batch was at work. */
  private tookMs = 0;

  constructor(
    private readonly flush: Flush<Item, Result>,
    private readonly options: BatcherOptions<Item>,
  ) {}

  /** Resolves with this item's result once its batch is done. */
  add(item: Item): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.waiting.push({ item, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Resolves when nothing is under way any more. */
  async idle(): Promise<void> {
    while (this.running) await this.running;
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.gather();
      const batch = this.waiting.splice(0, this.sizeOfNext());
      const beganAt = performance.now();
      await this.settle(batch);
      this.tookMs = performance.now() - beganAt;
      if (batch.length > 1) this.crowdedAt = performance.now();
    }
    this.running = undefined;
  }

  /** Whatever arrives in the same turn of the event loop belongs to the batch in any case. */
  private gather(): Promise<void> {
    const { gatherMs, itemsMax } = this.options;
    if (this.waiting.length >= itemsMax) return Promise.resolve();
    if (gatherMs !== undefined) return sleep(gatherMs);
    const isCrowded = performance.now() - this.crowdedAt < CROWDED_MS;
    return isCrowded && this.waiting.length < ENOUGH ? sleep(Math.min(GATHER_MAX_MS, this.tookMs)) : nextTurn();
  }

  private sizeOfNext(): number {
    const { itemsMax, weightMax = Infinity, weigh = () => 0 } = this.options;
    let weight = 0;
    for (const [index, { item }] of this.waiting.entries()) {
      weight += weigh(item);
      if (index === itemsMax || (index > 0 && weight > weightMax)) return index;
    }
    return this.waiting.length;
  }

  private async settle(batch: Waiting<Item, Result>[]): Promise<void> {
    try {
      const results = await this.flush(batch.map(({ item }) => item));
      batch.forEach(({ resolve }, index) => resolve(results?.[index] as Result));
    } catch (error) {
      if (batch.length > 1 && this.options.isItemsFault?.(error)) for (const one of batch) await this.settle([one]);
      else for (const { reject } of batch) reject(error);
    }
  }
}
