import { afterEach, expect, jest, test } from '@jest/globals';
import { arm, FAILPOINT_FORM, FAILPOINTS, failpoint } from './failpoint.js';

const kill = jest.spyOn(process, 'kill').mockImplementation(() => true);
afterEach(() => void kill.mockClear());

const passAll = () => FAILPOINTS.forEach((name) => failpoint(name));

test('a process that no failpoint was armed in passes them all', () => {
  arm(undefined);
  passAll();
  expect(kill).not.toHaveBeenCalled();
});

test.each([
  ['kill', 'SIGKILL'],
  ['stop', 'SIGSTOP'],
])('an armed failpoint does what it says (%s), there and nowhere else, once', (action, signal) => {
  arm(`worker.answered:${action}`);
  passAll();
  passAll();
  expect(kill.mock.calls).toEqual([[process.pid, signal]]);
});

test('only failpoints that exist can be armed', () => {
  expect(['worker.answered:kill', 'worker.answered:stop'].every((setting) => FAILPOINT_FORM.test(setting))).toBe(true);
  expect(['worker.answered', 'worker.answered:sleep', 'nowhere:kill', ' worker.answered:kill', ''].some((setting) => FAILPOINT_FORM.test(setting))).toBe(false);
});
