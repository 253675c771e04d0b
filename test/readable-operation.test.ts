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
  /** OTLP: 2 server, 3 client, 5 consumer. */
  kind: number;
  url: string;
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
      scope.spans.map(({ name, traceId, kind, attributes }: any) => {
        const url = attributes.find(({ key }: any) => ['url.full', 'http.url', 'http.target', 'url.path'].includes(key))?.value.stringValue ?? '';
        return { service, name, traceId, kind, url };
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

describe('one trace', () => {
  test('leads from the HTTP request through the bus to the upstream and to the webhook', async () => {
    const inbox = `${stack.sandboxUrl}/_inbox/traced`;
    const { body } = await tenant.create({ webhook: { url: inbox } });
    await tenant.over(body.taskId);
    await until('the delivery', async () => ((await (await fetch(inbox)).json()) as unknown[]).length === 1);
    const accepted = await until('the span of the creation', () =>
      spans.find(({ service, kind, url }) => service === 'gateway' && kind === 2 && url.endsWith('/v1/async/task')),
    );
    const steps = [
      ({ service, name }: Span) => service === 'worker' && name === 'attempt',
      ({ service, kind, url }: Span) => service === 'worker' && kind === 3 && url.startsWith(stack.sandboxUrl),
      ({ service, name }: Span) => service === 'task-store' && name === 'record process',
      ({ service, name }: Span) => service === 'gateway' && name === 'settle process',
      ({ service, kind, url }: Span) => service === 'webhook-dispatcher' && kind === 3 && url.startsWith(inbox),
    ];
    for (const [index, step] of steps.entries()) {
      const found = await until(`step ${index + 1} of the trace`, () => spans.find((span) => span.traceId === accepted.traceId && step(span)), 10_000);
      expect(found.traceId).toBe(accepted.traceId);
    }
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
