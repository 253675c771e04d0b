import type { Histogram } from '@opentelemetry/api';
import type { Logger } from './logger.js';
import { meter } from './telemetry.js';

/** What a unit of work is counted by: few values each. */
export type Labels = Record<string, string | number | undefined>;

/** What is worth knowing of one unit of work, and nothing that was asked, answered or is secret. */
export type Fields = Record<string, unknown>;

/** Reports units of work (a request, a task, an attempt, a delivery) at their end: one wide log line and one measurement each. */
export class Events {
  private readonly durations = new Map<string, Histogram>();

  constructor(private readonly logger: Logger) {}

  done(unit: string, ms: number, labels: Labels, fields: Fields = {}): void {
    this.logger.info({ ...labels, ...fields, ms: Math.round(ms) }, unit);
    this.durationOf(unit).record(ms / 1000, labels);
  }

  failed(unit: string, ms: number, labels: Labels, fields: Fields = {}): void {
    this.logger.warn({ ...labels, ...fields, ms: Math.round(ms) }, unit);
    this.durationOf(unit).record(ms / 1000, labels);
  }

  private durationOf(unit: string): Histogram {
    const known = this.durations.get(unit);
    if (known) return known;
    const made = meter('events').createHistogram(`${unit.replaceAll(' ', '_')}_duration_seconds`, {
      description: `How long each ${unit} took`,
      advice: { explicitBucketBoundaries: [0.01, 0.03, 0.1, 0.3, 1, 3, 10, 30, 60, 120, 300, 600] },
    });
    this.durations.set(unit, made);
    return made;
  }
}
