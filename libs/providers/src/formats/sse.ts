import { createParser } from 'eventsource-parser';

interface SseEvent {
  event?: string | undefined;
  data: string;
}

interface SseText {
  events: SseEvent[];
  /** Lines outside any field, joined: some upstreams append a bare JSON error to a stream that began well. */
  stray: string;
}

/** Reads a stream of server-sent events, whole or broken off: any line ending, comments, data over several lines. */
export function readSse(text: string): SseText {
  const events: SseEvent[] = [];
  const stray: string[] = [];
  const parser = createParser({
    onEvent: ({ event, data }) => void events.push({ event, data }),
    onError: ({ line }) => void (line !== undefined && stray.push(line)),
  });
  parser.feed(text);
  // Without the closing blank line the last event would be lost; one that was cut short betrays itself as broken JSON.
  parser.feed('\n\n');
  return { events, stray: stray.join('\n') };
}
