import { Inject, Injectable, type OnApplicationBootstrap, type OnApplicationShutdown } from '@nestjs/common';
import { type Backlog, Bus, type Fill, readBacklogs } from '@overheard/bus';
import { type Logger, meter, Repeating } from '@overheard/runtime';
import { LOGGER } from './tokens.js';

const LOOK_EVERY_MS = 15_000;

/** What waits on the bus. Measured here and not by workers, so that a lane without any worker is seen as well; every gateway says the same. */
@Injectable()
export class QueueMetrics implements OnApplicationBootstrap, OnApplicationShutdown {
  private readonly looking: Repeating;
  private backlogs: Backlog[] = [];
  private fills: Fill[] = [];

  constructor(
    @Inject(Bus) private readonly bus: Bus,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.looking = new Repeating('measure queues', LOOK_EVERY_MS, () => this.look(), logger);
    this.measureLanes('queue_backlog', 'Tasks that wait in a lane', ({ waiting }) => waiting);
    this.measureLanes('queue_in_work', 'Tasks of a lane that workers have and are not done with', ({ inWork }) => inWork);
    this.measureLanes('queue_oldest_seconds', 'How long the first task of a lane has waited', ({ oldestMs }) => oldestMs / 1000);
    gauge('events_backlog', 'Events that wait to be recorded, settled or delivered').addCallback((result) => {
      for (const { consumer, lane, waiting, inWork } of this.backlogs) if (!lane) result.observe(waiting + inWork, { consumer });
    });
    gauge('stream_bytes', 'Bytes that a stream holds').addCallback((result) => this.fills.forEach(({ stream, bytes }) => result.observe(bytes, { stream })));
    gauge('stream_bytes_max', 'Bytes that a stream may hold').addCallback((result) =>
      this.fills.forEach(({ stream, maxBytes }) => result.observe(maxBytes, { stream })),
    );
  }

  onApplicationBootstrap(): void {
    void this.looking.now();
  }

  onApplicationShutdown(): Promise<void> {
    return this.looking.stop();
  }

  private measureLanes(name: string, description: string, read: (backlog: Backlog) => number): void {
    gauge(name, description).addCallback((result) => {
      for (const backlog of this.backlogs) if (backlog.lane) result.observe(read(backlog), backlog.lane);
    });
  }

  private async look(): Promise<void> {
    const { backlogs, fills } = await readBacklogs(this.bus).catch((error: unknown) => {
      // What was true a while ago is not to be taken for the present.
      [this.backlogs, this.fills] = [[], []];
      throw error;
    });
    [this.backlogs, this.fills] = [backlogs, fills];
  }
}

const gauge = (name: string, description: string) => meter('queues').createObservableGauge(name, { description });
