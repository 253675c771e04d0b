import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import { withinMs } from './clock.js';
import type { MetricsEndpoint } from './metrics-endpoint.js';

export interface HealthOptions {
  host: string;
  port: number;
  /** Resolves when the service's dependencies answer; rejects with what is wrong. */
  ready: () => Promise<void>;
  metrics: MetricsEndpoint;
}

const READY_WITHIN_MS = 3000;

/** Serves `/healthz` (alive), `/readyz` (dependencies answer) and `/metrics` (Prometheus). */
export async function serveHealth({ host, port, ready, metrics }: HealthOptions): Promise<Server> {
  const server = createServer((request, response) => {
    const say = (status: number, body: object) => response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    switch (request.url?.split('?')[0]) {
      case '/healthz':
        return say(200, { status: 'alive' });
      case '/readyz':
        return void withinMs(READY_WITHIN_MS, ready()).then(
          () => say(200, { status: 'ready' }),
          (error: Error) => say(503, { status: 'not ready', reason: error.message }),
        );
      case '/metrics':
        return metrics(request, response);
      default:
        return say(404, { error: 'There are /healthz, /readyz and /metrics here.' });
    }
  });
  server.listen(port, host);
  await once(server, 'listening');
  return server;
}
