import { expect, test } from '@jest/globals';
import type { DetailRow } from './requests.repository.js';
import { timelineOf } from './timeline.js';

const at = (seconds: number): Date => new Date(Date.UTC(2026, 0, 1, 0, 0, seconds));
const row = (fields: Partial<DetailRow>): DetailRow =>
  ({ createdAt: at(0), publishedAt: null, startedAt: null, completedAt: null, status: 'in_progress', statusCode: null, ...fields }) as DetailRow;
const timings = { queueMs: 0, upstreamMs: 0, parseMs: 0, attempts: [{ attempt: 1, startedAt: at(3).getTime(), ms: 500 }] };

test('a request that waits has only been queued', () => {
  expect(timelineOf(row({}), null, [])).toEqual([{ kind: 'queued', at: at(0).toISOString(), ms: null }]);
});

test('nothing is started before it is published, although that is written down later', () => {
  const events = timelineOf(row({ publishedAt: at(3), startedAt: at(2), completedAt: at(4), status: 'ok', statusCode: 200 }), timings, []);
  expect(events.map(({ kind, at: moment }) => [kind, moment])).toEqual([
    ['queued', at(0).toISOString()],
    ['published', at(2).toISOString()],
    ['started', at(2).toISOString()],
    ['attempt', at(3).toISOString()],
    ['completed', at(4).toISOString()],
  ]);
});

test('a refused request was never more than that', () => {
  expect(timelineOf(row({ status: 'refused', statusCode: 400, completedAt: at(0) }), null, [])).toEqual([
    { kind: 'refused', at: at(0).toISOString(), ms: null, statusCode: 400 },
  ]);
});
