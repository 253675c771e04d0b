import type { Logger } from './logger.js';

/** Work that is done again and again: never twice at a time, and a failure is logged and tried again the next time. */
export class Repeating {
  private timer: NodeJS.Timeout | undefined;
  private running: Promise<void> | undefined;
  private stopped = false;

  constructor(
    private readonly name: string,
    private readonly everyMs: number,
    private readonly work: () => Promise<void>,
    private readonly logger: Logger,
  ) {}

  start(): void {
    this.timer = setTimeout(() => void this.now(), this.everyMs);
  }

  /** Does it at once, out of turn; resolves when that is done. */
  now(): Promise<void> {
    clearTimeout(this.timer);
    this.running ??= this.turn();
    return this.running;
  }

  /** Resolves when what is under way is done. */
  async stop(): Promise<void> {
    this.stopped = true;
    clearTimeout(this.timer);
    await this.running;
  }

  private async turn(): Promise<void> {
    try {
      await this.work();
    } catch (error) {
      this.logger.warn({ err: error, work: this.name }, 'repeated work failed this time');
    } finally {
      this.running = undefined;
      if (!this.stopped) this.start();
    }
  }
}
