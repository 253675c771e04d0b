import * as z from 'zod';
import type { SandboxCall, SandboxReply } from '../sandbox.js';
import { framesOf, untilMidText, type ResponseObject } from './responses.js';

// The asking side of the Responses API, and how an answer goes out: whole or as a stream.

const inputText = z.union([z.string(), z.array(z.object({ type: z.string(), text: z.string().optional() }))]);

const responsesRequest = z.object({
  model: z.string(),
  input: z.union([z.string(), z.array(z.object({ role: z.string(), content: inputText })).min(1)]),
  instructions: z.string().nullish(),
  tools: z.array(z.looseObject({ type: z.string(), user_location: z.object({ country: z.string().nullish() }).nullish() })).default([]),
  include: z.array(z.string()).nullish(),
  stream: z.boolean().nullish(),
});
export type ResponsesRequest = z.infer<typeof responsesRequest>;

/** What a call asks; undefined when its body is no request. */
export function responsesRequestOf({ body }: SandboxCall): ResponsesRequest | undefined {
  try {
    return responsesRequest.safeParse(JSON.parse(body)).data;
  } catch {
    return undefined;
  }
}

/** The user's last message. */
export const promptOf = ({ input }: ResponsesRequest): string =>
  typeof input === 'string' ? input : textOf(input.findLast(({ role }) => role === 'user')?.content);

/** What the system is told about how to answer. */
export const instructionOf = ({ input, instructions }: ResponsesRequest): string => {
  const messages = typeof input === 'string' ? [] : input.filter(({ role }) => role === 'system' || role === 'developer');
  return [instructions ?? '', ...messages.map(({ content }) => textOf(content))].join('\n');
};

const textOf = (content: z.infer<typeof inputText> = ''): string => (typeof content === 'string' ? content : content.map(({ text }) => text ?? '').join('\n'));

/** A response in one piece; a truncated one breaks off in its middle. */
export function wholeReply(response: ResponseObject, truncate: boolean): SandboxReply {
  const body = JSON.stringify(response);
  return { status: 200, headers: { 'content-type': 'application/json' }, body: truncate ? body.slice(0, body.length / 2) : body, broken: truncate };
}

/** The events of a response; a truncated stream breaks off in the middle of the text. */
export function streamedReply(events: Parameters<typeof untilMidText>[0], truncate: boolean): SandboxReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: framesOf(truncate ? untilMidText(events) : events),
    broken: truncate,
  };
}
