import type { SandboxCall, SandboxNote, SandboxReply } from '../../sandbox.js';
import { challengePage } from '../../steering/capture-call.js';
import { contentOf } from '../../steering/content.js';
import { writeMarkdown, type Mark } from '../../steering/markdown.js';
import { promptOf, responsesRequestOf, streamedReply, wholeReply, type ResponsesRequest } from '../../steering/responses-call.js';
import { eventsOf, responseOf, type ResponseObject } from '../../steering/responses.js';
import type { Fault, Steering } from '../../steering/steering.js';

export const isAzure = ({ method, url }: SandboxCall): boolean => method === 'POST' && new URL(url, 'http://sandbox').pathname === '/openai/v1/responses';

export function noteAzure(call: SandboxCall): SandboxNote {
  const request = responsesRequestOf(call);
  return { prompt: request ? promptOf(request) : '', country: request && (searchTool(request)?.user_location?.country ?? undefined) };
}

/** Answers as Azure's Responses API with the preview of the web search tool: JSON and stream, errors included. */
export function answerAzure(call: SandboxCall, note: SandboxNote, steering: Steering): SandboxReply {
  if (!call.headers['api-key']) return refusal(401, '401', DENIED);
  const request = responsesRequestOf(call);
  if (!request) return refusal(400, 'BadRequest', 'The request body is not valid.');
  if (steering.fault) return FAULTS[steering.fault](steering, request);
  const response = compose(request, note, steering);
  return request.stream ? streamedReply(eventsOf(response), steering.truncate) : wholeReply(response, steering.truncate);
}

const searchTool = ({ tools }: ResponsesRequest) => tools.find(({ type }) => type === 'web_search_preview');

const DENIED =
  'Access denied due to invalid subscription key or wrong API endpoint. Make sure to provide a valid key for an active subscription and use a correct regional API endpoint for your resource.';

/** What each fault looks like here. A failing service answers 503 and 500 in turn. */
const FAULTS: Record<Fault, (steering: Steering, request: ResponsesRequest) => SandboxReply> = {
  fail: ({ attempt }) =>
    attempt % 2
      ? refusal(503, 'ServiceUnavailable', 'The service is temporarily unable to process your request.')
      : refusal(500, 'InternalServerError', 'Something went wrong.'),
  ratelimit: (_steering, { model }) =>
    refusal(429, '429', `Requests to ${model} have exceeded the call rate limit of your current pricing tier.`, { 'retry-after-ms': '50' }),
  blocked: () => challengePage,
  badkey: () => refusal(401, '401', DENIED),
  quota: () => refusal(429, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.'),
};

const refusal = (status: number, code: string, message: string, headers: Record<string, string> = {}): SandboxReply => ({
  status,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify({ error: { code, message } }),
});

/** The answer: found by two searches when the tool was offered, from memory and without citations otherwise. */
function compose(request: ResponsesRequest, note: SandboxNote, steering: Steering): ResponseObject {
  const content = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const searched = searchTool(request) !== undefined;
  const { text, marks } = writeMarkdown(content, { gap: searched ? ' ' : '', mark: ({ site, url }) => (searched ? `[${site}](${url})` : '') });
  return responseOf({
    seed: JSON.stringify([note.prompt, note.country]),
    model: request.model,
    tools: request.tools,
    searches: searched ? content.queries.slice(0, 2).map((query) => ({ queries: [query], sources: [] })) : [],
    text: steering.empty ? '' : text,
    marks: steering.empty || !searched ? [] : marks.filter(isFirstOfItsKind),
    urlOf: ({ source }) => source.url,
    withSources: false,
    paddingBytes: steering.largeBytes,
  });
}

/** Of several equal marks Azure annotates the first only. */
const isFirstOfItsKind = (mark: Mark, place: number, marks: Mark[]): boolean => marks.findIndex(({ index }) => index === mark.index) === place;
