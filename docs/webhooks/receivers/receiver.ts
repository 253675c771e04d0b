// Receives Overheard's webhooks: WEBHOOK_SECRET=whsec_… node receiver.ts, once `npm install @overheard/client` is done.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import { type TaskRead, verifyWebhook, WebhookRejected } from '@overheard/client';

/** Gives each task to `handle` once; `handle` writes it down and returns, and the work is done later. */
export function createReceiver(secret: string, handle: (read: TaskRead) => void | Promise<void>): Server {
  // Of the last days, in your database: the same task may come again.
  const handled = new Set<string>();
  return createServer((request, response) => {
    receive(request).then(
      (statusCode) => response.writeHead(statusCode).end(),
      (error) => response.writeHead(error instanceof WebhookRejected ? 401 : 500).end(),
    );
  });

  async function receive(request: IncomingMessage): Promise<number> {
    const read = verifyWebhook(await rawBody(request), request.headers, secret);
    if (!handled.has(read.task.id)) await handle(read);
    handled.add(read.task.id);
    return 204;
  }
}

async function rawBody(request: IncomingMessage): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  for await (const chunk of request) chunks.push(chunk as Uint8Array);
  return Buffer.concat(chunks);
}

if (process.argv[1] === import.meta.filename) {
  const server = createReceiver(process.env['WEBHOOK_SECRET'] ?? '', ({ task }) => console.log(task.id, task.status));
  server.listen(Number(process.env['PORT'] ?? 9000));
}
