import type { SandboxCall, SandboxNote, SandboxReply } from '../../sandbox.js';
import { challengePage } from '../../steering/capture-call.js';
import { contentOf } from '../../steering/content.js';
import { writeMarkdown } from '../../steering/markdown.js';
import { promptOf, responsesRequestOf, streamedReply, wholeReply, type ResponsesRequest } from '../../steering/responses-call.js';
import { eventsOf, responseOf, type ResponseObject } from '../../steering/responses.js';
import type { Fault, Steering } from '../../steering/steering.js';

export const isOpenai = ({ method, url }: SandboxCall): boolean => method === 'POST' && new URL(url, 'http://sandbox').pathname === '/v1/responses';

export function noteOpenai(call: SandboxCall): SandboxNote {
  const request = responsesRequestOf(call);
  return { prompt: request ? promptOf(request) : '', country: request && (searchTool(request)?.user_location?.country ?? undefined) };
}

/** Answers as OpenAI's Responses API with the web search tool: JSON and stream, errors included. */
export function answerOpenai(call: SandboxCall, note: SandboxNote, steering: Steering): SandboxReply {
  if (!/^bearer \S/i.test(call.headers.authorization ?? '')) return refusal(401, 'invalid_request_error', null, "You didn't provide an API key.");
  const request = responsesRequestOf(call);
  if (!request) return refusal(400, 'invalid_request_error', null, 'We could not parse the JSON body of your request.');
  if (steering.fault) return FAULTS[steering.fault](steering, request);
  const response = compose(request, note, steering);
  return request.stream ? streamedReply(eventsOf(response), steering.truncate) : wholeReply(response, steering.truncate);
}

const searchTool = ({ tools }: ResponsesRequest) => tools.find(({ type }) => type.startsWith('web_search'));

/** What each fault looks like here. A failing service answers 503 and 500 in turn. */
const FAULTS: Record<Fault, (steering: Steering, request: ResponsesRequest) => SandboxReply> = {
  fail: ({ attempt }) =>
    attempt % 2
      ? refusal(503, 'server_error', null, 'The server is overloaded or not ready yet.')
      : refusal(500, 'server_error', null, 'The server had an error while processing your request. Sorry about that!'),
  ratelimit: (_steering, { model }) =>
    refusal(429, 'requests', 'rate_limit_exceeded', `Rate limit reached for ${model} on requests per min (RPM). Please try again in 50ms.`, {
      'retry-after-ms': '50',
    }),
  blocked: () => challengePage,
  badkey: () =>
    refusal(
      401,
      'invalid_request_error',
      'invalid_api_key',
      'Incorrect API key provided: sk-sandb********. You can find your API key at https://platform.openai.com/account/api-keys.',
    ),
  quota: () => refusal(429, 'insufficient_quota', 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.'),
};

function refusal(status: number, type: string, code: string | null, message: string, headers: Record<string, string> = {}): SandboxReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ error: { message, type, param: null, code } }) };
}

/** The answer: found by several searches when the tool was offered, from memory and without citations otherwise. */
function compose(request: ResponsesRequest, note: SandboxNote, steering: Steering): ResponseObject {
  const content = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const searched = searchTool(request) !== undefined;
  const cited = (url: string) => `${url}&utm_source=openai`;
  const { text, marks } = writeMarkdown(content, {
    gap: searched ? ' ' : '',
    mark: ({ domain, url }) => (searched ? `([${domain}](${cited(url)}))` : ''),
  });
  const found = content.sources.map(({ url }) => ({ type: 'url', url }));
  const [first = '', ...others] = content.queries;

  return responseOf({
    seed: JSON.stringify([note.prompt, note.country]),
    // A name without a date stands for the newest model of that name.
    model: /\d{4}-\d\d-\d\d$/.test(request.model) ? request.model : `${request.model}-2025-08-07`,
    tools: request.tools,
    searches: searched
      ? [
          { queries: [first, ...others.slice(0, 1)], sources: [...found.slice(0, 5), { type: 'api', name: 'oai-weather' }] },
          { queries: others.slice(1), sources: found.slice(3) },
        ]
      : [],
    openedUrl: searched ? content.sources[0]?.url : undefined,
    text: steering.empty ? '' : text,
    marks: steering.empty || !searched ? [] : marks,
    urlOf: ({ source }) => cited(source.url),
    withSources: request.include?.includes('web_search_call.action.sources') ?? false,
    paddingBytes: steering.largeBytes,
  });
}
