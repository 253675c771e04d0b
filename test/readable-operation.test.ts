import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { type Stack, startStack, type Tenant } from './stack.js';

const SERVICES = ['gateway', 'worker', 'task-store', 'webhook-dispatcher'] as const;
const STARTED_WITHIN_MS = 180_000;

interface Span {
  service: string;
  name: string;
  traceId: string;
  spanId: string;
  parentSpanId?: string;
  /** OTLP: 1 internal, 2 server, 3 client, 5 consumer. */
  kind: number;
  status: number | undefined;
}

const spans: Span[] = [];
let collector: Server;
let stack: Stack;
let tenant: Tenant;

/** What a collector is sent, flat. */
function spansOf(sent: any): Span[] {
  return sent.resourceSpans.flatMap(({ resource, scopeSpans }: any) => {
    const service = resource.attributes.find(({ key }: any) => key === 'service.name').value.stringValue;
    return scopeSpans.flatMap((scope: any) =>
      scope.spans.map(({ name, traceId, spanId, parentSpanId, kind, attributes }: any) => {
        const status = attributes.find(({ key }: any) => key === 'http.response.status_code')?.value.intValue;
        return { service, name, traceId, spanId, parentSpanId, kind, status };
      }),
    );
  });
}

beforeAll(async () => {
  collector = createServer((request, response) => {
    void text(request).then((sent) => {
      spans.push(...spansOf(JSON.parse(sent)));
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
    });
  });
  await new Promise<void>((resolve) => collector.listen(0, '127.0.0.1', resolve));
  stack = await startStack({
    services: [...SERVICES, 'sandbox'],
    env: {
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${(collector.address() as AddressInfo).port}`,
      OTEL_BSP_SCHEDULE_DELAY: '100',
    },
  });
  tenant = await stack.tenant();
}, STARTED_WITHIN_MS);

afterAll(async () => {
  await stack.stop();
  collector.closeAllConnections();
  collector.close();
});

/** The spans of a trace as the tree that their parents make of them: `service name kind`, each below its parent. */
function treeOf(traceId: string, parentSpanId?: string, depth = 0): string[] {
  return spans
    .filter((span) => span.traceId === traceId && span.parentSpanId === parentSpanId)
    .map(({ service, name, kind, spanId }) => [`${'  '.repeat(depth)}${service} ${name} ${kind}`, ...treeOf(traceId, spanId, depth + 1)])
    .sort()
    .flat();
}

describe('one trace', () => {
  const traceId = randomBytes(16).toString('hex');
  const callerSpan = randomBytes(8).toString('hex');

  test("leads from the caller's own through the HTTP request and the bus to the upstream and to the webhook", async () => {
    const inbox = `${stack.sandboxUrl}/_inbox/traced`;
    const reply = await tenant.send('POST', '/v1/async/task', {
      headers: { traceparent: `00-${traceId}-${callerSpan}-01` },
      body: { taskType: 'CHATGPT', payload: { prompt: 'pump', country: 'US' }, webhook: { url: inbox } },
    });
    expect(reply.status).toBe(202);
    await until('the last span', () => spans.some((span) => span.traceId === traceId && span.name === 'delivery attempt'));
    const way = [
      'gateway POST /v1/async/task 2',
      '  gateway admit 1',
      '  worker work process 5',
      '    task-store record process 5',
      '      gateway settle process 5',
      '        webhook-dispatcher deliver process 5',
      '          webhook-dispatcher delivery attempt 3',
      '    worker attempt 3',
      '    worker claim 3',
    ];
    await until('the whole tree', () => treeOf(traceId, callerSpan).length >= way.length);
    expect(treeOf(traceId, callerSpan)).toEqual(way);
    expect(spans.find((span) => span.traceId === traceId && span.name === 'delivery attempt')?.status).toBe(200);
    const [delivery] = (await (await fetch(inbox)).json()) as [{ headers: object }];
    expect(Object.keys(delivery.headers)).not.toContain('traceparent');
  });

  test('is begun by a request that names none, of a synchronous answer and of a refusal as well', async () => {
    expect((await tenant.ask({ prompt: 'pump' })).status).toBe(200);
    expect((await fetch(`${stack.baseUrl}/v1/async/status`)).status).toBe(401);
    const answered = await until('the span of the answer', () => spans.find(({ name }) => name === 'POST /v1/monitor/chatgpt'));
    const refused = await until('the span of the refusal', () => spans.find(({ name }) => name === 'GET /v1/async/status'));
    expect([answered, refused].map(({ kind, status, parentSpanId }) => [kind, status, parentSpanId])).toEqual([
      [2, 200, undefined],
      [2, 401, undefined],
    ]);
    await until('the record of the answer', () => treeOf(answered.traceId).some((line) => line.endsWith('task-store record process 5')));
  });

  test('of a cancellation holds what comes of it, and that of a client that left no status that nobody sent', async () => {
    const { body } = await tenant.create({ payload: { prompt: 'pump #delay=20s' } });
    const ofCancellation = randomBytes(16).toString('hex');
    await tenant.send('DELETE', `/v1/async/task/${body.taskId}`, { headers: { traceparent: `00-${ofCancellation}-${callerSpan}-01` } });
    await until('the end of the task', () => treeOf(ofCancellation, callerSpan).includes('    gateway settle process 5'));
    expect(treeOf(ofCancellation, callerSpan).slice(0, 2)).toEqual(['gateway DELETE /v1/async/task/:taskId 2', '  task-store record process 5']);

    const ofLeaving = randomBytes(16).toString('hex');
    const headers = { traceparent: `00-${ofLeaving}-${callerSpan}-01` };
    const question = { body: { prompt: 'pump #delay=3s', country: 'US' }, headers, signal: AbortSignal.timeout(500) };
    await expect(tenant.send('POST', '/v1/monitor/chatgpt', question)).rejects.toThrow();
    const left = await until('the span of who left', () => spans.find((span) => span.traceId === ofLeaving && span.kind === 2));
    expect(left.status).toBeUndefined();
  });

  test('is sent to the end when a service ends', async () => {
    await stack.end('gateway');
    await stack.restart('gateway', { OTEL_BSP_SCHEDULE_DELAY: '600000' });
    expect((await tenant.get('/v1/countries')).status).toBe(200);
    await stack.end('gateway');
    expect(spans.map(({ name }) => name)).toContain('GET /v1/countries');
    await stack.restart('gateway');
  });
});

describe('the log', () => {
  test('has one line a request, a task and a delivery, and neither what was asked nor any secret in any line', async () => {
    const word = `w${randomBytes(8).toString('hex')}`;
    const reply = await tenant.ask({ prompt: `secretive mugs #nonce=${word}`, include: { markdown: true } });
    expect(reply.status).toBe(200);
    await tenant.ask({ prompt: `failing mugs #badkey #nonce=${word}` });
    await tenant.ask({ prompt: `bad country #nonce=${word}`, country: 'nowhere' });
    const id = reply.headers.get('x-request-id');
    const line = await until('the line of the request', () => stack.log('gateway').find(({ msg, requestId }) => msg === 'request' && requestId === id));
    expect(line).toMatchObject({ status: 200, route: '/v1/monitor/chatgpt', accountId: tenant.accountId });
    expect(stack.log('gateway').filter(({ requestId }) => requestId === id)).toHaveLength(1);
    expect(stack.log('worker').filter(({ msg, taskId }) => msg === 'task run' && taskId === id)).toHaveLength(1);
    const everything = SERVICES.map((service) => JSON.stringify(stack.log(service))).join('\n');
    for (const hidden of [word, 'secretive mugs', tenant.key.slice(8), 'Bearer']) expect(everything).not.toContain(hidden);
  });
});

describe('metrics', () => {
  test('every service counts its units of work', async () => {
    const metrics = Object.fromEntries(
      await Promise.all(SERVICES.map(async (service) => [service, await (await fetch(`${stack.healthUrl(service)}/metrics`)).text()] as const)),
    );
    expect(metrics['gateway']).toMatch(/^request_duration_seconds_count\{.*route="\/v1\/monitor\/chatgpt".*\} \d/m);
    expect(metrics['gateway']).toMatch(/^requests_waiting\b/m);
    expect(metrics['worker']).toMatch(/^task_run_duration_seconds_count\{.*provider="CHATGPT".*status="COMPLETED".*\} \d/m);
    expect(metrics['task-store']).toMatch(/^record_duration_seconds_count\{/m);
    expect(metrics['webhook-dispatcher']).toMatch(/^\w*deliver\w*\{/m);
  });
});
