import { expect, test } from '@jest/globals';
import { fieldText, promptText } from './request-rules.js';

test.each([
  [promptText('Prompt'), { length: { toString: 1 } }],
  [promptText('Query'), { length: 0 }],
  [fieldText('location', 10), { length: { valueOf: 1, toString: 1 } }],
  [fieldText('location', 10), ['x'.repeat(11)]],
])('whatever is no text is said to be none, and never makes the check itself fail: %#', (rule, value) => {
  expect(rule.safeParse(value).error?.issues.map(({ message }) => message)).toEqual(['Expected string']);
});
