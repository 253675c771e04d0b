import { createHash } from 'node:crypto';
import * as z from 'zod';
import type { SandboxCall, SandboxNote, SandboxReply } from '../../sandbox.js';
import { challengePage } from '../../steering/capture-call.js';
import { picturesOf } from '../../steering/offerings.js';
import { padding } from '../../steering/responses.js';
import type { Fault, Steering } from '../../steering/steering.js';
import { draftOf, type Draft } from './draft.js';

const sonarRequest = z.object({
  model: z.string(),
  messages: z.array(z.object({ role: z.string(), content: z.string() })).min(1),
  web_search_options: z.object({ user_location: z.object({ country: z.string().nullish() }).nullish() }).nullish(),
  return_images: z.boolean().nullish(),
  return_related_questions: z.boolean().nullish(),
  media_response: z.object({ overrides: z.object({ return_videos: z.boolean().nullish() }).nullish() }).nullish(),
  stream: z.boolean().nullish(),
});
type SonarRequest = z.infer<typeof sonarRequest>;

export const isSonar = ({ method, url }: SandboxCall): boolean => method === 'POST' && new URL(url, 'http://sandbox').pathname === '/chat/completions';

export function noteSonar(call: SandboxCall): SandboxNote {
  const request = requestOf(call);
  const prompt = request?.messages.findLast(({ role }) => role === 'user')?.content ?? '';
  return { prompt, country: request?.web_search_options?.user_location?.country ?? undefined };
}

/** Answers as the Sonar API does: JSON and stream, errors included. */
export function answerSonar(call: SandboxCall, note: SandboxNote, steering: Steering): SandboxReply {
  if (!/^bearer \S/i.test(call.headers.authorization ?? '')) return refusal(401, 'invalid_api_key', 'No API key was provided.');
  const request = requestOf(call);
  if (!request) return refusal(400, 'invalid_request', 'The body of the request is not valid.');
  if (steering.fault) return FAULTS[steering.fault](steering);
  return request.stream ? streamed(request, note, steering) : whole(request, note, steering);
}

function requestOf({ body }: SandboxCall): SonarRequest | undefined {
  try {
    return sonarRequest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** What each fault looks like here. A failing service answers 503 and 500 in turn. */
const FAULTS: Record<Fault, (steering: Steering) => SandboxReply> = {
  fail: ({ attempt }) => refusal(attempt % 2 ? 503 : 500, 'internal_server_error', 'The service is not available.'),
  ratelimit: () => refusal(429, 'rate_limit_exceeded', 'Request rate limit exceeded, please try again later.', { 'retry-after-ms': '50' }),
  blocked: () => challengePage,
  badkey: () => refusal(401, 'invalid_api_key', 'Invalid API key provided.'),
  quota: () => refusal(401, 'insufficient_quota', 'You exceeded your current quota, please check your plan and billing details.'),
};

function refusal(status: number, type: string, message: string, headers: Record<string, string> = {}): SandboxReply {
  return { status, headers: { 'content-type': 'application/json', ...headers }, body: JSON.stringify({ error: { message, type, code: status } }) };
}

function whole(request: SonarRequest, note: SandboxNote, steering: Steering): SandboxReply {
  const draft = draftOf(note, steering);
  const reasoning = padding(steering.largeBytes).map((thought) => ({ thought }));
  const message = { role: 'assistant', content: draft.text, ...(reasoning.length && { reasoning_steps: reasoning }) };
  const choices = [{ index: 0, finish_reason: 'stop', message, delta: { role: 'assistant', content: '' } }];
  const body = JSON.stringify({ ...answerOf(request, draft, steering), object: 'chat.completion', choices });
  const sent = steering.truncate ? body.slice(0, body.length / 2) : body;
  return { status: 200, headers: { 'content-type': 'application/json' }, body: sent, broken: steering.truncate };
}

function streamed(request: SonarRequest, note: SandboxNote, steering: Steering): SandboxReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: chunksOf(request, draftOf(note, steering), steering),
    broken: steering.truncate,
  };
}

/** Each chunk repeats all sources and all of the text so far; the last one has a name of its own, and no `[DONE]` follows. */
function* chunksOf(request: SonarRequest, draft: Draft, steering: Steering): Generator<string> {
  const answer = answerOf(request, draft, steering);
  const { images: _images, videos: _videos, related_questions: _questions, ...known } = answer;
  const frame = (fields: object) => `data: ${JSON.stringify(fields)}\r\n\r\n`;
  const choice = (content: string, delta: object, finish_reason: string | null = null) => [
    { index: 0, finish_reason, message: { role: 'assistant', content }, delta: { role: 'assistant', ...delta } },
  ];
  for (const thought of padding(steering.largeBytes)) {
    yield frame({ ...known, object: 'chat.completion.chunk', choices: choice('', { content: '', reasoning_steps: [{ thought }] }) });
  }
  let written = '';
  for (const content of steering.truncate ? draft.chunks.slice(0, 8) : draft.chunks) {
    written += content;
    yield frame({ ...known, object: 'chat.completion.chunk', choices: choice(written, { content }) });
  }
  if (!steering.truncate) yield frame({ ...answer, object: 'chat.completion.done', choices: choice(written, { content: '' }, 'stop') });
}

/** What every form of the answer carries beside its text. */
function answerOf(request: SonarRequest, { content, text }: Draft, { words }: Steering) {
  const pictures = picturesOf(content);
  const wantsVideos = request.media_response?.overrides?.return_videos && words.has('videos');
  return {
    id: createHash('sha256').update(text).digest('hex').slice(0, 32),
    model: request.model,
    created: 1_777_000_000,
    usage: { prompt_tokens: 12, completion_tokens: text.length >> 2, total_tokens: 12 + (text.length >> 2), search_context_size: 'low' },
    citations: content.sources.map(({ url }) => url),
    search_results: content.sources.map(({ title, url, date, snippet }) => ({ title, url, date, last_updated: date, snippet, source: 'web' })),
    ...(request.return_images &&
      words.has('images') && {
        images: pictures.map(({ imageUrl, pageUrl, title, height, width }) => ({ image_url: imageUrl, origin_url: pageUrl, title, height, width })),
      }),
    ...(wantsVideos && {
      videos: pictures.map(({ pageUrl, thumbnailUrl }) => ({
        url: `${pageUrl}&watch=1`,
        thumbnail_url: thumbnailUrl,
        thumbnail_width: 480,
        thumbnail_height: 270,
        duration: 90,
      })),
    }),
    ...(request.return_related_questions && { related_questions: content.followUps }),
  };
}
