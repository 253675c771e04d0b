import type { IncomingHttpHeaders } from 'node:http';
import type { Steering } from './steering/steering.js';

/** A call that reached a stand-in upstream; its address is relative to the provider's own mount. */
export interface SandboxCall {
  method: string;
  /** Path and query, such as `/v1/responses?x=1`. */
  url: string;
  headers: IncomingHttpHeaders;
  body: string;
  /** Aborts when the caller hangs up. */
  signal: AbortSignal;
}

/** What a stand-in answers. A body in parts is written part by part; `broken` cuts the connection after the last one. */
export interface SandboxReply {
  status: number;
  headers?: Record<string, string>;
  body: string | Iterable<string> | AsyncIterable<string>;
  broken?: boolean;
}

/** What the call log keeps of a call (operations.md, The sandbox). */
export interface SandboxNote {
  /** The prompt or query with its steering words: it carries the nonce and identifies retries. */
  prompt: string;
  country?: string | undefined;
  location?: string | undefined;
  language?: string | undefined;
  device?: string | undefined;
  page?: number | undefined;
}

/** A provider's stand-in upstream: the same wire format, steered by the words of operations.md. */
export interface Sandbox {
  /** Reads from a call what the log keeps; undefined for a call that is none of its routes (answered 404). */
  note(call: SandboxCall): SandboxNote | undefined;
  /** Answers; `steering` is what the prompt's words ask for, already counted for this attempt. */
  answer(call: SandboxCall, note: SandboxNote, steering: Steering): Promise<SandboxReply>;
}
