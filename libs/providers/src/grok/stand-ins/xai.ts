import { countryInInstruction } from '../../formats/country-instruction.js';
import type { SandboxCall, SandboxNote, SandboxReply } from '../../sandbox.js';
import { challengePage } from '../../steering/capture-call.js';
import { contentOf } from '../../steering/content.js';
import { writeMarkdown } from '../../steering/markdown.js';
import { instructionOf, promptOf, responsesRequestOf, streamedReply, wholeReply, type ResponsesRequest } from '../../steering/responses-call.js';
import { eventsOf, responseOf, type ResponseObject } from '../../steering/responses.js';
import type { Fault, Steering } from '../../steering/steering.js';

export const isXai = ({ method, url }: SandboxCall): boolean => method === 'POST' && new URL(url, 'http://sandbox').pathname === '/v1/responses';

export function noteXai(call: SandboxCall): SandboxNote {
  const request = responsesRequestOf(call);
  return request ? { prompt: promptOf(request), country: countryInInstruction(instructionOf(request)) } : { prompt: '' };
}

/** Answers as xAI's Responses API with its searches of the web and of X: JSON and stream, errors included. */
export function answerXai(call: SandboxCall, note: SandboxNote, steering: Steering): SandboxReply {
  if (!/^bearer \S/i.test(call.headers.authorization ?? '')) return refusal(401, 'unauthenticated:no-credentials', 'No API key provided.');
  const request = responsesRequestOf(call);
  if (!request) return refusal(422, 'invalid-argument', 'Failed to deserialize the JSON body into the target type.');
  if (steering.fault) return FAULTS[steering.fault](steering);
  const response = compose(request, note, steering);
  return request.stream ? streamedReply(eventsOf(response, { citationsLast: true }), steering.truncate) : wholeReply(response, steering.truncate);
}

/** What each fault looks like here; a wrong key is a 400. A failing service answers 503 and 500 in turn. */
const FAULTS: Record<Fault, (steering: Steering) => SandboxReply> = {
  fail: ({ attempt }) =>
    attempt % 2 ? refusal(503, 'unavailable', 'The service is at capacity. Please try again later.') : refusal(500, 'internal-error', 'Internal error.'),
  ratelimit: () => refusal(429, 'resource-exhausted', 'Too many requests for this model.', { 'x-ratelimit-remaining-requests': '0' }),
  blocked: () => challengePage,
  badkey: () => refusal(400, 'invalid-argument', 'Incorrect API key provided: sa***ox. You can obtain an API key from https://console.x.ai.'),
  quota: () => refusal(429, 'resource-exhausted', 'Your team has either used all available credits or reached its monthly spending limit.'),
};

const refusal = (status: number, code: string, error: string, headers: Record<string, string> = {}): SandboxReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ code, error }),
});

/** The answer: found by the searches that were offered, from memory and without citations otherwise. */
function compose(request: ResponsesRequest, note: SandboxNote, steering: Steering): ResponseObject {
  const content = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const offered = (tool: string) => request.tools.some(({ type }) => type === tool);
  const searched = offered('web_search');
  const { text, marks } = writeMarkdown(content, { gap: '', mark: ({ url }, index) => (searched ? `[[${index + 1}]](${url})` : '') });
  const found = content.sources.map(({ url }) => ({ type: 'url', url }));
  const [first = '', second = '', third = ''] = content.queries;
  const post = { type: 'custom_tool_call', call_id: 'xs_call_1', name: 'x_keyword_search', input: JSON.stringify({ query: third, limit: 10, mode: 'Latest' }) };

  return responseOf({
    seed: JSON.stringify([note.prompt, note.country]),
    model: request.model,
    tools: request.tools,
    searches: searched
      ? [
          { queries: [first], sources: found.slice(0, 5) },
          { queries: [second], sources: found.slice(3) },
        ]
      : [],
    toolCalls: offered('x_search') ? [post] : [],
    text: steering.empty ? '' : text,
    marks: steering.empty || !searched ? [] : marks,
    urlOf: ({ source }) => source.url,
    titleOf: ({ index }) => String(index + 1),
    withSources: request.include?.includes('web_search_call.action.sources') ?? false,
    paddingBytes: steering.largeBytes,
  });
}
