import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { ask, serve } from './served.js';

let url: string;
let close: () => void;
beforeAll(async () => ({ url, close } = await serve({})));
afterAll(() => close());

const list = async (name: string): Promise<any[]> => (await fetch(`${url}/_inbox/${name}`)).json() as Promise<any[]>;
const statuses = async (path: string, times: number) => {
  const seen: number[] = [];
  for (let turn = 0; turn < times; turn++) seen.push((await ask(`${url}/_inbox/${path}`, '{}')).status);
  return seen;
};

describe('the webhook inbox', () => {
  it('keeps each delivery as it came: time, headers, raw body, in order', async () => {
    for (const body of ['{"b": 1,\n "ü": "\\u00e9"}', 'no JSON'])
      await ask(`${url}/_inbox/box-1`, body, { headers: { 'content-type': 'application/json', 'X-Some-Header': 'yes' } });
    const [first, second, ...others] = await list('box-1');
    expect(Object.keys(first)).toEqual(['at', 'headers', 'body']);
    expect([first.body, second.body, others]).toEqual(['{"b": 1,\n "ü": "\\u00e9"}', 'no JSON', []]);
    expect([first.headers['x-some-header'], Date.parse(first.at) > 0]).toEqual(['yes', true]);
  });

  it('answers 200 when nothing else was asked for, and lists nothing for an unknown name', async () => {
    expect(await statuses('box-2', 2)).toEqual([200, 200]);
    expect(await list('box-unknown')).toEqual([]);
  });

  it('answers the first times with the status asked for, then 200', async () => {
    expect(await statuses('box-3?status=500&times=2', 4)).toEqual([500, 500, 200, 200]);
    expect(await statuses('box-4?status=410', 3)).toEqual([410, 410, 410]);
  });

  it('holds up its answers as asked', async () => {
    const before = Date.now();
    await ask(`${url}/_inbox/box-5?delay=150ms`, '{}');
    expect(Date.now() - before).toBeGreaterThanOrEqual(145);
  });

  it('has a delivery before it answers it', async () => {
    const answer = ask(`${url}/_inbox/box-6?delay=400ms`, '{}');
    for (let turn = 0; turn < 30 && (await list('box-6')).length === 0; turn++);
    expect(await list('box-6')).toHaveLength(1);
    await answer;
  });

  it('takes five megabytes', async () => {
    const body = 'é'.repeat(2_500_000);
    expect((await ask(`${url}/_inbox/box-7`, body)).status).toBe(200);
    expect((await list('box-7'))[0].body === body).toBe(true);
  });

  it('refuses a behaviour it does not know, and other methods', async () => {
    expect(await statuses('box-8?status=99', 1)).toEqual([400]);
    expect(await statuses('box-8?delay=soon', 1)).toEqual([400]);
    expect((await fetch(`${url}/_inbox/box-8`, { method: 'DELETE' })).status).toBe(405);
    expect(await list('box-8')).toEqual([]);
  });
});
