// How the dashboard writes numbers, times and countries. Times are those of the reader's own clock.

const DATE_TIME = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', hour: '2-digit', minute: '2-digit', second: '2-digit' });
const DAY = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', timeZone: 'UTC' });
const NUMBER = new Intl.NumberFormat('en-US');
const AGO = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' });
const REGIONS = new Intl.DisplayNames('en', { type: 'region' });

export const dateTime = (iso: string): string => DATE_TIME.format(new Date(iso)).replace(',', '');

/** The time of day for a moment of today, date and time for others. */
export const dateOrTime = (iso: string): string =>
  new Date(iso).toDateString() === new Date().toDateString() ? dateTime(iso).split(' ').at(-1)! : dateTime(iso);

/** A day of the API, `YYYY-MM-DD`, which is one of UTC. */
export const day = (date: string): string => DAY.format(new Date(`${date.slice(0, 10)}T00:00:00Z`));

export const number = (value: number): string => NUMBER.format(value);

export const plural = (count: number, noun: string): string => `${number(count)} ${noun}${count === 1 ? '' : 's'}`;

/** `340 ms`, `2.4 s`, `3 min 5 s`, `2 h 10 min`. */
export function duration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  const seconds = ms / 1000;
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const UNITS = [
  ['day', 86_400_000],
  ['hour', 3_600_000],
  ['minute', 60_000],
  ['second', 1000],
] as const;

/** `3 min. ago`, `in 2 days`. */
export function ago(iso: string, now = Date.now()): string {
  const difference = new Date(iso).getTime() - now;
  const [unit, size] = UNITS.find(([, size]) => Math.abs(difference) >= size) ?? ['second', 1000];
  return Math.abs(difference) < 2000 ? 'just now' : AGO.format(Math.trunc(difference / size), unit);
}

/** The English name of an ISO 3166-1 code. */
export function countryName(code: string): string {
  try {
    return REGIONS.of(code) ?? code;
  } catch {
    return code;
  }
}
