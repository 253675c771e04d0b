import { appendFileSync } from 'node:fs';
import { expect } from '@jest/globals';

/** What `--seed` gives, so that a run can be had again. */
export const SEED = Number(process.env['CHAOS_SEED'] ?? 20_260_131);

/** Writes down a figure of the test that runs; scripts/chaos.mjs makes the table of it. */
export function figure(what: string, value: number | string): void {
  const path = process.env['CHAOS_FIGURES_FILE'];
  const text = typeof value === 'number' ? String(Math.round(value * 10) / 10) : value;
  if (path) appendFileSync(path, `${JSON.stringify({ test: expect.getState().currentTestName, what, value: text })}\n`);
}

export const secondsSince = (began: number): number => (Date.now() - began) / 1000;

/** The value that so many of a hundred do not exceed. */
export function percentile(values: number[], percent: number): number {
  const sorted = [...values].sort((one, two) => one - two);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * percent) / 100))] ?? Number.NaN;
}
