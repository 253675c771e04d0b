import { createHash } from 'node:crypto';
import * as z from 'zod';
import { countryInInstruction } from '../formats/country-instruction.js';
import type { Sandbox, SandboxCall, SandboxNote, SandboxReply } from '../sandbox.js';
import { contentOf, type Source } from '../steering/content.js';
import { writeMarkdown, type Mark } from '../steering/markdown.js';
import { padding } from '../steering/responses.js';
import type { Fault, Steering } from '../steering/steering.js';

const content = z.object({ role: z.string().optional(), parts: z.array(z.object({ text: z.string().optional() })) });
const instruction = content.omit({ role: true }).optional();

const generateRequest = z.object({
  contents: z.array(content).min(1),
  system_instruction: instruction,
  systemInstruction: instruction,
  tools: z.array(z.record(z.string(), z.unknown())).default([]),
});
type GenerateRequest = z.infer<typeof generateRequest>;

/** Stands in for `generateContent` of the Gemini API and of Vertex AI with Google Search: JSON and stream, errors included. */
export const geminiSandbox: Sandbox = {
  note(call) {
    if (!routeOf(call)) return undefined;
    const request = requestOf(call);
    return request ? { prompt: promptOf(request), country: countryInInstruction(instructionOf(request)) } : { prompt: '' };
  },

  async answer(call, note, steering) {
    const { 'x-goog-api-key': key, authorization } = call.headers;
    if (!key && !authorization) return refusal(403, 'PERMISSION_DENIED', "Method doesn't allow unregistered callers.");
    const request = requestOf(call);
    if (!request) return refusal(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received.');
    if (steering.fault) return FAULTS[steering.fault](steering);
    const { model, streams } = routeOf(call)!;
    const answer = compose(request, { model, note, steering });
    return streams ? streamed(answer, steering) : whole(answer, steering);
  },
};

function routeOf({ method, url }: SandboxCall): { model: string; streams: boolean } | undefined {
  const [, model, deed] = /\/models\/([^/:]+):(generateContent|streamGenerateContent)$/.exec(new URL(url, 'http://sandbox').pathname) ?? [];
  return method === 'POST' && model ? { model, streams: deed === 'streamGenerateContent' } : undefined;
}

function requestOf({ body }: SandboxCall): GenerateRequest | undefined {
  try {
    return generateRequest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

const promptOf = ({ contents }: GenerateRequest): string => textOf(contents.findLast(({ role = 'user' }) => role === 'user'));

const instructionOf = (request: GenerateRequest): string => textOf(request.system_instruction ?? request.systemInstruction);

const textOf = (said: { parts: { text?: string | undefined }[] } | undefined): string => (said?.parts ?? []).map(({ text }) => text ?? '').join('\n');

/** What each fault looks like here; a wrong key is a 400. A failing service answers 503 and 500 in turn. */
const FAULTS: Record<Fault, (steering: Steering) => SandboxReply> = {
  fail: ({ attempt }) =>
    attempt % 2
      ? refusal(503, 'UNAVAILABLE', 'The model is overloaded. Please try again later.')
      : refusal(500, 'INTERNAL', 'An internal error has occurred. Please retry or report.'),
  ratelimit: () =>
    refusal(429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota, please check your plan and billing details.', [
      { '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId: 'GenerateRequestsPerMinutePerProjectPerModel' }] },
      { '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '0.05s' },
    ]),
  blocked: () => refusal(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
  badkey: () =>
    refusal(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID', domain: 'googleapis.com' },
    ]),
  quota: () => refusal(429, 'RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.'),
};

const refusal = (code: number, status: string, message: string, details: object[] = []): SandboxReply => ({
  status: code,
  headers: { 'content-type': 'application/json; charset=UTF-8' },
  body: JSON.stringify({ error: { code, message, status, ...(details.length && { details }) } }),
});

interface Composed {
  model: string;
  responseId: string;
  text: string;
  grounding: object | undefined;
}

/** The answer: grounded when Google Search was offered, from memory otherwise. */
function compose(request: GenerateRequest, { model, note, steering }: { model: string; note: SandboxNote; steering: Steering }): Composed {
  const said = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const { text, marks } = writeMarkdown(said, { gap: '', mark: () => '' });
  const searched = request.tools.some((tool) => 'google_search' in tool || 'googleSearch' in tool);
  const grounding = {
    searchEntryPoint: { renderedContent: `<div>${said.queries[0]}</div>` },
    groundingChunks: said.sources.map((source) => ({ web: { uri: redirectTo(source, steering.nonce), title: source.domain } })),
    groundingSupports: supportsOf(text, marks),
    webSearchQueries: said.queries,
  };
  return {
    model,
    responseId: hashOf(note.prompt, String(note.country)),
    text: steering.empty ? '' : text,
    grounding: searched ? (steering.empty ? { webSearchQueries: said.queries } : grounding) : undefined,
  };
}

/** Google never gives a source's own address. */
const redirectTo = ({ url }: Source, nonce = ''): string =>
  `https://vertexaisearch.cloud.google.com/grounding-api-redirect/AUZIYQ${hashOf(url)}${nonce && `-${nonce}`}`;

const hashOf = (...words: string[]): string => createHash('sha256').update(words.join(' ')).digest('base64url').slice(0, 24);

/** What vouches for each passage, with places in bytes; a place at the very beginning is left out. */
function supportsOf(text: string, marks: Mark[]): object[] {
  const bytes = (end: number) => Buffer.byteLength(text.slice(0, end));
  const passages = [...new Set(marks.map(({ passageStart }) => passageStart))];
  return passages.map((start) => {
    const vouching = marks.filter(({ passageStart }) => passageStart === start);
    const end = vouching[0]!.start;
    return {
      segment: { ...(start && { startIndex: bytes(start) }), endIndex: bytes(end), text: text.slice(start, end) },
      groundingChunkIndices: vouching.map(({ index }) => index),
      confidenceScores: vouching.map(({ index }) => 0.97 - index / 20),
    };
  });
}

const WORDS_A_FRAME = 12;

/** The frames of the stream: the text bit by bit, the grounding with the last. */
function* framesOf({ text, grounding, ...answer }: Composed, { largeBytes }: Steering): Generator<object> {
  const bits = text.match(new RegExp(`(?:\\s*\\S+){1,${WORDS_A_FRAME}}\\s*`, 'g')) ?? [];
  for (const thoughtSignature of padding(largeBytes)) yield frameOf(answer, { parts: [{ text: '', thoughtSignature }] });
  for (const bit of bits) yield frameOf(answer, { parts: [{ text: bit }], ...(grounding && { groundingMetadata: {} }) });
  yield frameOf(answer, { parts: bits.length ? [{ text: '' }] : [], finishReason: 'STOP', ...(grounding && { groundingMetadata: grounding }) });
}

const frameOf = ({ model, responseId }: Omit<Composed, 'text' | 'grounding'>, { parts, ...rest }: { parts: object[] } & Record<string, unknown>): object => ({
  candidates: [{ content: { ...(parts.length && { parts }), role: 'model' }, index: 0, ...rest }],
  usageMetadata: { promptTokenCount: 64, totalTokenCount: 640 },
  modelVersion: model,
  responseId,
});

function streamed(answer: Composed, steering: Steering): SandboxReply {
  const frames = function* () {
    let texts = 0;
    for (const frame of framesOf(answer, steering)) {
      if (steering.truncate && ++texts > 3) return;
      yield `data: ${JSON.stringify(frame)}\r\n\r\n`;
    }
  };
  return { status: 200, headers: { 'content-type': 'text/event-stream' }, body: frames(), broken: steering.truncate };
}

function whole({ text, grounding, ...answer }: Composed, steering: Steering): SandboxReply {
  const parts = [...padding(steering.largeBytes).map((thoughtSignature) => ({ text: '', thoughtSignature })), ...(text ? [{ text }] : [])];
  const body = JSON.stringify(frameOf(answer, { parts, finishReason: 'STOP', ...(grounding && { groundingMetadata: grounding }) }));
  return {
    status: 200,
    headers: { 'content-type': 'application/json; charset=UTF-8' },
    body: steering.truncate ? body.slice(0, body.length / 2) : body,
    broken: steering.truncate,
  };
}
