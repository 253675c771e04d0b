import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from '@jest/globals';
import { contractOf } from '@overheard/providers/contracts';
import { extract } from '../src/extract.js';
import { root, run } from './run.js';

const folder = mkdtempSync(join(tmpdir(), 'extract-'));
afterAll(() => rmSync(folder, { recursive: true }));

const fixture = (name: string): string => join(root, 'libs/providers/src/chatgpt/fixtures', name);
const write = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};

describe('extract', () => {
  test.each([
    ['cited.sse', []],
    ['chat.json', ['--country', 'US']],
  ])('reads a stored answer into the result that the API gives, with every flag on: %s', async (file, options) => {
    const { status, out, err } = await run(['extract', 'CHATGPT', fixture(file), ...options]);
    expect([status, err, out.split('\n').length]).toEqual([0, '', 2]);
    const { result, quality, ...rest } = JSON.parse(out);
    expect(rest).toEqual({});
    expect(contractOf('CHATGPT')?.result.parse(result)).toEqual(result);
    expect(Object.keys(result)).toEqual(expect.arrayContaining(['text', 'markdown', 'rawResponse', 'searchQueries', 'sources']));
    expect(result).not.toHaveProperty('html');
    expect(quality.status).toMatch(/^(ok|degraded)$/);
  });

  test.each([
    ['challenge.html', { reason: 'blocked', retryable: true }],
    ['empty.json', { reason: 'invalid_answer', retryable: true }],
  ])('says of an answer that is none what is wrong with it, and that is no failure of the command: %s', async (file, error) => {
    const { status, out, err } = await run(['extract', 'CHATGPT', fixture(file)]);
    expect([status, err, JSON.parse(out)]).toEqual([0, '', { error: { ...error, message: expect.any(String) } }]);
  });

  test('--batch prints one object a line, in the order of the list', async () => {
    const files = ['cited.sse', 'bad-key.json', 'chat.json', 'cited.json'];
    const list = write('list', `${files.map((file) => `CHATGPT\t${file === 'cited.json' ? 'openai-responses' : ''}\t${fixture(file)}`).join('\n')}\n`);
    const { status, out, err } = await run(['extract', '--batch', list]);
    expect([status, err]).toEqual([0, '']);
    const lines = out.trimEnd().split('\n');
    expect(lines.map((line) => Object.keys(JSON.parse(line)))).toEqual([['result', 'quality'], ['error'], ['result', 'quality'], ['result', 'quality']]);
    const alone = await run(['extract', 'CHATGPT', fixture('chat.json')]);
    expect(`${lines[2]}\n`).toBe(alone.out);
  });

  test('needs no server, no credentials and no environment', async () => {
    expect((await run(['extract', 'CHATGPT', fixture('cited.json')], { cwd: folder })).status).toBe(0);
  });
});

describe('a file that can not be read is one line and exit status 1', () => {
  const missing = join(folder, 'missing');
  test.each([
    ['alone', () => ['CHATGPT', missing]],
    ['in a list', () => ['--batch', write('bad-list', `CHATGPT\t\t${missing}\n`)]],
  ])('%s', async (_how, words) => {
    const { status, out, err } = await run(['extract', ...words()]);
    expect([status, out, err]).toEqual([1, '', expect.stringMatching(/^[^\n]*missing[^\n]*\n$/)]);
  });
});

describe('wrong usage', () => {
  test.each([[['extract']], [[]]])('is exit status 2: %j', async (words) => {
    const { status, out, err } = await run(words);
    expect([status, out, err]).toEqual([2, '', expect.stringContaining('usage')]);
  });

  test.each([[['CHATGPT']], [['chatgpt', 'file']], [['NOBODY', 'file']], [['CHATGPT', 'file', '--colour', 'red']]])('is any of these: %j', async (words) => {
    await expect(extract(words).next()).rejects.toMatchObject({ name: 'UsageError', message: expect.stringContaining('usage') });
  });
});
