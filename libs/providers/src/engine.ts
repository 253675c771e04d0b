import type { Quality, UpstreamRoute } from '@overheard/contracts';
import type * as z from 'zod';

/** One attempt at a request. */
export interface Attempt<Request> {
  request: Request;
  route: UpstreamRoute;
  /** The address of this provider's stand-in; what `route: 'sandbox'` talks to. */
  sandboxUrl: string | undefined;
  /** Aborts when the attempt's time is up, with a `TimeoutError`, or when nobody wants the answer any more; that reason is thrown as it is. */
  signal: AbortSignal;
  /** Stores a page that expires, and gives its address. */
  storeHtml(html: string): Promise<string>;
}

export interface Answer<Result> {
  result: Result;
  quality: Quality;
  timings: { upstreamMs: number; parseMs: number };
}

/** A stored upstream answer, as `extract` reads it: a file's text. */
export interface StoredAnswer {
  name: string;
  text: string;
}

export interface ExtractOptions {
  /** A format of operations.md; recognised when absent. */
  format?: string | undefined;
  country?: string | undefined;
}

/**
 * Who answers a provider's requests. An engine makes one attempt and throws `UpstreamFailure` when that fails; whether
 * to try again is the worker's decision alone.
 */
export interface Engine<Request, Result> {
  /** The upstream's name in errors, such as `OpenAI`. */
  service: string;
  /** Whether the operator has configured an upstream of their own. */
  live: boolean;
  /** What this machine lacks for any answer, such as a browser; every attempt fails then, for this reason. */
  lacks?: string | undefined;
  ask(attempt: Attempt<Request>): Promise<Answer<Result>>;
  /** The same extraction over stored answers, with every include flag on; no address of stored HTML. */
  extract(files: StoredAnswer[], options: ExtractOptions): Promise<Omit<Answer<Result>, 'timings'>>;
  /** Ends what the engine holds on to, such as a browser. */
  close?(): Promise<void>;
}

/** How an engine is made from the environment. `settings` documents each variable with `.describe()`. */
export interface EngineModule<Settings, Request, Result> {
  settings: z.ZodType<Settings>;
  create(settings: Settings): Engine<Request, Result>;
}
