// An upstream that takes no time: OpenAI's Responses API on loopback, which answers each question at once in two sentences and cites a page. (An answer
// without one counts as degraded, and would be asked for again.)
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const SELF = fileURLToPath(import.meta.url);

const link = '([example.com](https://example.com/mugs))';
const text = `The classic steel mug keeps coffee warm for six hours ${link}. It costs 25 dollars.`;
const annotation = {
  type: 'url_citation',
  url: 'https://example.com/mugs',
  title: 'Mugs',
  start_index: text.indexOf(link),
  end_index: text.indexOf(link) + link.length,
};
const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [{ type: 'output_text', text, annotations: [annotation] }] };
const response = {
  id: 'resp_1',
  object: 'response',
  status: 'completed',
  model: 'gpt-5',
  output: [message],
  usage: { input_tokens: 9, output_tokens: 18, total_tokens: 27 },
};
const stream = [
  { type: 'response.created', response: { ...response, status: 'in_progress', output: [] } },
  { type: 'response.output_text.delta', item_id: 'msg_1', output_index: 0, content_index: 0, delta: text },
  { type: 'response.completed', response },
]
  .map((event, n) => `event: ${event.type}\ndata: ${JSON.stringify({ ...event, sequence_number: n })}\n\n`)
  .join('');

/** The settings that make it ChatGPT's upstream, how to make it take its time, and how to end it. In a process of its own, for its connections are many. */
export async function startUpstream() {
  const child = spawn(process.execPath, [SELF, 'serve'], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message');
  return {
    env: { OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `http://127.0.0.1:${port}/v1` },
    take: (/** @type {number} */ ms) => void child.send(ms),
    stop: () => void child.kill(),
  };
}

async function serve() {
  let delayMs = 0;
  process.on('message', (ms) => (delayMs = Number(ms))).on('disconnect', () => process.exit());
  const server = createServer({ keepAliveTimeout: 60_000 }, (request, answer) => {
    const reply = () => void answer.writeHead(200, { 'content-type': 'text/event-stream' }).end(stream);
    request.resume().on('end', () => (delayMs > 0 ? setTimeout(reply, delayMs) : reply()));
  });
  await once(server.listen({ port: 0, host: '127.0.0.1', backlog: 4096 }), 'listening');
  process.send?.(/** @type {import('node:net').AddressInfo} */ (server.address()).port);
}

if (process.argv[1] === SELF) await serve();
