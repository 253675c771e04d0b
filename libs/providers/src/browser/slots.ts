/** A number of places, given out in the order they were asked for. */
export class Slots {
  readonly #waiting: (() => void)[] = [];
  #free: number;

  constructor(count: number) {
    this.#free = count;
  }

  /** Waits for a place; an abort throws its reason and gives up the wait. */
  async take(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const giveUp = () => {
        this.#waiting.splice(this.#waiting.indexOf(enter), 1);
        reject(signal.reason as Error);
      };
      const enter = () => {
        signal.removeEventListener('abort', giveUp);
        resolve();
      };
      this.#waiting.push(enter);
      signal.addEventListener('abort', giveUp, { once: true });
    });
  }

  /** Gives a place back, or straight on to who waits longest. */
  release(): void {
    const next = this.#waiting.shift();
    if (next) next();
    else this.#free += 1;
  }
}
