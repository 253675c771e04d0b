import { Inject, Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { Bus, SUBJECTS } from '@overheard/bus';
import { overNotice } from '@overheard/contracts';

/** Where long polls wait: every gateway hears of every settlement (decision X2). */
@Injectable()
export class Settlements implements OnApplicationBootstrap {
  private readonly waiters = new Map<string, Set<() => void>>();

  constructor(@Inject(Bus) private readonly bus: Bus) {}

  onApplicationBootstrap(): void {
    this.bus.onNotice(SUBJECTS.over, overNotice, ({ id }) => this.waiters.get(id)?.forEach((tell) => tell()));
  }

  /** Resolves when that task is settled, the time is up, or nobody waits any more. `isOver` is asked once listening has begun, so that nothing falls in between. */
  async wait(id: string, ms: number, isOver: () => Promise<boolean>, gone: AbortSignal): Promise<void> {
    let tell: () => void = () => undefined;
    const told = new Promise<void>((resolve) => (tell = resolve));
    const waiters = this.waiters.get(id) ?? new Set();
    this.waiters.set(id, waiters.add(tell));
    gone.addEventListener('abort', tell);
    const timer = setTimeout(tell, ms);
    try {
      if (!(await isOver())) await told;
    } finally {
      clearTimeout(timer);
      waiters.delete(tell);
      if (waiters.size === 0) this.waiters.delete(id);
    }
  }
}
