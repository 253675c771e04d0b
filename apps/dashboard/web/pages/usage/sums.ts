import type { PerformanceFigures, Usage, UsageSum } from '../../../src/api';
import type { Range } from '../../api/queries';
import { day } from '../../ui/format';

const DAY_MS = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** As many days of UTC up to today. */
export const lastDays = (count: number): Range => ({ from: dateOf(Date.now() - (count - 1) * DAY_MS), to: dateOf(Date.now()) });

/** The sums of those rows that have the same name, the dearest first. */
export function sumBy<Row extends UsageSum>(rows: Row[], nameOf: (row: Row) => string): ({ of: string } & UsageSum)[] {
  const sums = new Map<string, { of: string } & UsageSum>();
  for (const row of rows) {
    const of = nameOf(row);
    const sum = sums.get(of) ?? { of, completed: 0, failed: 0, credits: 0 };
    sums.set(of, { of, completed: sum.completed + row.completed, failed: sum.failed + row.failed, credits: sum.credits + row.credits });
  }
  return [...sums.values()].sort((a, b) => b.credits - a.credits);
}

/** A bar a day, days without usage too, in a part a provider. */
export function creditsByDay({ from, to, days }: Usage, labelOf: (provider: string) => string): { data: Record<string, string | number>[]; series: string[] } {
  const series = sumBy(days, ({ provider }) => labelOf(provider)).map(({ of }) => of);
  const data: Record<string, string | number>[] = [];
  for (let at = Date.parse(from); at <= Date.parse(to); at += DAY_MS) {
    const date = dateOf(at);
    const ofDay = days.filter((entry) => entry.day === date).map(({ provider, credits }) => [labelOf(provider), credits]);
    data.push({ day: day(date), ...(Object.fromEntries(ofDay) as Record<string, number>) });
  }
  return { data, series };
}

/** In percent, to a tenth and never rounded up to 100; null without any request. */
export const successPercent = ({ ok, failed }: PerformanceFigures): number | null => (ok + failed === 0 ? null : Math.floor((ok / (ok + failed)) * 1000) / 10);

export const percent = (value: number): string => `${value} %`;
