/** Counts by name, of the latest names only: what was not counted for long begins again at one. */
export class Tally {
  readonly #counts = new Map<string, number>();
  readonly #namesMax: number;

  constructor(namesMax: number) {
    this.#namesMax = namesMax;
  }

  /** Counts once more and says how many times it was by now. */
  next(name: string): number {
    const count = (this.#counts.get(name) ?? 0) + 1;
    // Set anew, it stands last; the first one is then always the one that waited longest.
    this.#counts.delete(name);
    this.#counts.set(name, count);
    const [oldest] = this.#counts.size > this.#namesMax ? this.#counts.keys() : [];
    if (oldest !== undefined) this.#counts.delete(oldest);
    return count;
  }
}
