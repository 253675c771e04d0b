import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Tenant, useStack } from './stack.js';

const MIB = 1024 * 1024;
const LARGE_MS = 120_000;

const stack = useStack();
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

test(
  'an answer of 20 MB passes through every hop whole, and is read as it was answered',
  async () => {
    const asked = await tenant.ask({ prompt: 'Everything? #large=20mb', include: { rawResponse: true } });
    expect(asked.status).toBe(200);
    expect(asked.text.length).toBeGreaterThan(20 * MIB);
    expect(asked.body.quality.status).toBe('ok');
    expect(asked.headers.get('x-credits-charged')).toBe('7');
    const read = await tenant.read(asked.headers.get('x-request-id') ?? '');
    expect(read.text.slice(read.text.indexOf('"response":') + '"response":'.length) === asked.text.slice('{"success":true,"result":'.length)).toBe(true);
    await until('nothing to be left on the way', async () => {
      const transit = await stack.bus.manager.streams.info(`OBJ_${stack.bus.names.bucket('transit')}`);
      return transit.state.bytes < MIB;
    });
  },
  LARGE_MS,
);

test('several large answers at once hold up no small one', async () => {
  const large = [1, 2, 3].map((index) => tenant.create({ payload: { prompt: `Much ${index}? #large=5mb`, include: { rawResponse: true } } }));
  const ids = (await Promise.all(large)).map(({ body }) => body.taskId as string);
  expect((await tenant.ask({ prompt: 'Little?' })).status).toBe(200);
  for (const id of ids) expect((await tenant.over(id)).text.length).toBeGreaterThan(5 * MIB);
});
