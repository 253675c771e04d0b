import { z } from 'zod';
import type { Sandbox, SandboxCall, SandboxNote, SandboxReply } from '../sandbox.js';
import { contentOf } from '../steering/content.js';
import { writeMarkdown } from '../steering/markdown.js';
import { eventsOf, framesOf, responseOf, untilMidText, type ResponseObject } from '../steering/responses.js';
import type { Fault, Steering } from '../steering/steering.js';

const inputText = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]);

const responsesRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.object({ role: z.string(), content: inputText })).min(1)]),
  tools: z.array(z.looseObject({ type: z.string(), user_location: z.object({ country: z.string().nullish() }).nullish() })).default([]),
  include: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
});
type ResponsesRequest = z.infer<typeof responsesRequest>;

/** Stands in for OpenAI's Responses API with the web search tool: JSON and stream, errors included. */
export const chatgptSandbox: Sandbox = {
  note(call) {
    if (call.method !== 'POST' || new URL(call.url, 'http://sandbox').pathname !== '/v1/responses') return undefined;
    const request = requestOf(call);
    return { prompt: request ? promptOf(request) : '', country: request && countryOf(request) };
  },

  async answer(call, note, steering) {
    if (!/^bearer \S/i.test(call.headers.authorization ?? '')) return refusal(401, 'invalid_request_error', null, "You didn't provide an API key.");
    const request = requestOf(call);
    if (!request) return refusal(400, 'invalid_request_error', null, 'We could not parse the JSON body of your request.');
    if (steering.fault) return FAULTS[steering.fault](steering, request);
    return request.stream ? streamed(request, note, steering) : whole(request, note, steering);
  },
};

function requestOf({ body }: SandboxCall): ResponsesRequest | undefined {
  try {
    return responsesRequest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

function promptOf({ input }: ResponsesRequest): string {
  if (typeof input === 'string') return input;
  const content = input.findLast(({ role }) => role === 'user')?.content ?? '';
  return typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n');
}

const searchTool = ({ tools }: ResponsesRequest) => tools.find(({ type }) => type.startsWith('web_search'));
const countryOf = (request: ResponsesRequest) => searchTool(request)?.user_location?.country ?? undefined;

/** What each fault looks like here. A failing service answers 503 and 500 in turn. */
const FAULTS: Record<Fault, (steering: Steering, request: ResponsesRequest) => SandboxReply> = {
  fail: ({ attempt }) =>
    attempt % 2
      ? refusal(503, 'server_error', null, 'The server is overloaded or not ready yet.')
      : refusal(500, 'server_error', null, 'The server had an error while processing your request. Sorry about that!'),
  ratelimit: (_steering, { model }) => refusal(429, 'requests', 'rate_limit_exceeded', `Rate limit reached for ${model} on requests per min (RPM). Please try again in 50ms.`, { 'retry-after-ms': '50' }),
  blocked: () => ({
    status: 403,
    headers: { 'content-type': 'text/html; charset=UTF-8', 'cf-mitigated': 'challenge' },
    body: '<!DOCTYPE html><html lang="en-US"><head><title>Just a moment...</title></head><body><h1>Checking your browser</h1><noscript>Enable JavaScript and cookies to continue</noscript></body></html>',
  }),
  badkey: () => refusal(401, 'invalid_request_error', 'invalid_api_key', 'Incorrect API key provided: sk-sandb********. You can find your API key at https://platform.openai.com/account/api-keys.'),
  quota: () => refusal(429, 'insufficient_quota', 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.'),
};

function refusal(status: number, type: string, code: string | null, message: string, headers: Record<string, string> = {}): SandboxReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ error: { message, type, param: null, code } }) };
}

function whole(request: ResponsesRequest, note: SandboxNote, steering: Steering): SandboxReply {
  const body = JSON.stringify(compose(request, note, steering));
  const sent = steering.truncate ? body.slice(0, body.length / 2) : body;
  return { status: 200, headers: { 'content-type': 'application/json' }, body: sent, broken: steering.truncate };
}

function streamed(request: ResponsesRequest, note: SandboxNote, steering: Steering): SandboxReply {
  const events = eventsOf(compose(request, note, steering));
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: framesOf(steering.truncate ? untilMidText(events) : events),
    broken: steering.truncate,
  };
}

/** The answer: found by several searches when the tool was offered, from memory and without citations otherwise. */
function compose(request: ResponsesRequest, note: SandboxNote, steering: Steering): ResponseObject {
  const content = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const searched = searchTool(request) !== undefined;
  const cited = (url: string) => `${url}&utm_source=openai`;
  const { text, marks } = writeMarkdown(content, { gap: searched ? ' ' : '', mark: ({ domain, url }) => (searched ? `([${domain}](${cited(url)}))` : '') });
  const found = content.sources.map(({ url }) => ({ type: 'url', url }));
  const [first = '', ...others] = content.queries;

  return responseOf({
    seed: JSON.stringify([note.prompt, note.country]),
    // A name without a date stands for the newest model of that name.
    model: /\d{4}-\d\d-\d\d$/.test(request.model) ? request.model : `${request.model}-2025-08-07`,
    tools: request.tools,
    searches: searched ? [{ queries: [first, ...others.slice(0, 1)], sources: [...found.slice(0, 5), { type: 'api', name: 'oai-weather' }] }, { queries: others.slice(1), sources: found.slice(3) }] : [],
    openedUrl: searched ? content.sources[0]?.url : undefined,
    text: steering.empty ? '' : text,
    marks: steering.empty || !searched ? [] : marks,
    urlOf: ({ source }) => cited(source.url),
    withSources: request.include?.includes('web_search_call.action.sources') ?? false,
    paddingBytes: steering.largeBytes,
  });
}
