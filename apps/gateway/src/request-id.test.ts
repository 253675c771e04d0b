import { expect, it } from '@jest/globals';
import { validate, version } from 'uuid';
import { newRequestId } from './request-id.js';

it('ids are UUIDs of version 7 that bear their time, none is made twice, and each sorts after the one before', () => {
  const before = Date.now();
  const ids = Array.from({ length: 5000 }, newRequestId);
  expect(ids.every((id) => validate(id) && version(id) === 7)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.toSorted()).toEqual(ids);
  const times = ids.map((id) => parseInt(id.replaceAll('-', '').slice(0, 12), 16));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(before);
  expect(Math.max(...times)).toBeLessThanOrEqual(Date.now());
});
