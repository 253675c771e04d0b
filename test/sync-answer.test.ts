import { beforeAll, describe, expect, test } from '@jest/globals';
import { type Tenant, useStack } from './stack.js';

const stack = useStack();
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

const EVERYTHING = { html: true, markdown: true, rawResponse: true, searchQueries: true };

/** The result and the quality of a synchronous answer, as they were sent. */
function partsOf(text: string): { result: string; quality: string } {
  const { result = '', quality = '' } = /^\{"success":true,"result":(?<result>.*),"quality":(?<quality>\{"status":.*\})\}$/s.exec(text)?.groups ?? {};
  return { result, quality };
}

describe('a synchronous answer', () => {
  test('is the same as the read of its task, byte for byte', async () => {
    const { status, headers, text } = await tenant.ask({ prompt: 'Which kettle? é 漢字 🫖 \u2028 "quoted" \\ back', include: EVERYTHING });
    expect(status).toBe(200);
    const { result, quality } = partsOf(text);
    expect(JSON.parse(result).rawResponse.length).toBeGreaterThan(10);
    const read = await tenant.read(headers.get('x-request-id') ?? '');
    expect(read.text.endsWith(`,"response":${result},"quality":${quality}}`)).toBe(true);
    expect(read.body).toMatchObject({ task: { status: 'COMPLETED', attempts: 1 }, credits: { creditsToCharge: 7, creditsCharged: 7 } });
  });

  test('is what a task with the same question gets, byte for byte', async () => {
    const payload = { prompt: 'Which toaster?', country: 'JP', include: { ...EVERYTHING, html: false } };
    const asked = await tenant.ask(payload);
    const { taskId } = (await tenant.create({ payload })).body;
    const { result, quality } = partsOf(asked.text);
    expect((await tenant.over(taskId)).text.endsWith(`,"response":${result},"quality":${quality}}`)).toBe(true);
  });

  test('took one call of the upstream, from the country that was asked for', async () => {
    await tenant.ask({ prompt: 'Which grill? #nonce=once', country: 'FR' });
    expect(await stack.calls('once')).toMatchObject([{ provider: 'CHATGPT', country: 'FR', attempt: 1, status: 200 }]);
  });

  test('has a page that says what its text says', async () => {
    const { body } = await tenant.ask({ prompt: 'Which lamp? #nonce=page', include: EVERYTHING });
    const page = await (await fetch(body.result.html)).text();
    expect(body.result.text).toContain('page');
    expect(page).toContain('Which lamp?');
    for (const { url } of body.result.citationPills ?? []) expect(page).toContain(url.replaceAll('&', '&amp;'));
  });

  test('tells its time apart: what it took is no less than its parts', async () => {
    const { headers } = await tenant.ask({ prompt: 'Which saw? #delay=300ms' });
    const times = Object.fromEntries((headers.get('server-timing') ?? '').split(', ').map((part) => [part.split(';dur=')[0], Number(part.split(';dur=')[1])]));
    expect(times['upstream']).toBeGreaterThanOrEqual(290);
    expect(times['total']).toBeGreaterThanOrEqual((times['upstream'] ?? 0) + (times['parse'] ?? 0));
    expect(times['queue']).toBeGreaterThanOrEqual(0);
  });
});
