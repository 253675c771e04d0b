import { createHash } from 'node:crypto';
import type { SandboxNote, SandboxReply } from '../../sandbox.js';
import { contentOf } from '../../steering/content.js';
import { writeMarkdown } from '../../steering/markdown.js';
import { padding } from '../../steering/responses.js';
import type { Steering } from '../../steering/steering.js';

const FRAMES_OF_TRUNCATED = 12;

/** Answers with the frames of copilot.microsoft.com's WebSocket, one a line; some hold two objects. */
export function answerWeb(note: SandboxNote, steering: Steering): SandboxReply {
  return { status: 200, headers: { 'content-type': 'application/x-ndjson' }, body: lines(note, steering), broken: steering.truncate };
}

function* lines(note: SandboxNote, steering: Steering): Generator<string> {
  let count = 0;
  for (const frame of frames(note, steering)) {
    if (steering.truncate && count >= FRAMES_OF_TRUNCATED) return;
    yield JSON.stringify(frame) + (++count % 3 ? '\n' : '');
  }
}

function* frames(note: SandboxNote, steering: Steering): Generator<Record<string, unknown>> {
  const content = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const { text, marks } = writeMarkdown(content, { gap: '', mark: () => '' });
  const id = (name: string) =>
    createHash('sha256')
      .update(JSON.stringify([note.prompt, note.country, name]))
      .digest('base64url')
      .slice(0, 21);
  const part = { messageId: id('answer'), partId: id('part') };

  yield { event: 'connected' };
  yield { event: 'received', conversationId: id('conversation'), messageId: id('question') };
  yield { event: 'startMessage', conversationId: id('conversation'), messageId: part.messageId };
  for (const block of padding(steering.largeBytes)) yield { event: 'chainOfThought', messageId: part.messageId, text: block };
  if (!steering.empty) {
    let written = 0;
    for (const { end, source } of marks) {
      for (const words of text.slice(written, end).match(/\s*\S+|\s+$/g) ?? []) yield { event: 'appendText', ...part, text: words };
      yield { event: 'citation', ...part, url: source.url, title: source.title };
      written = end;
    }
    yield { event: 'appendText', ...part, text: text.slice(written) };
  }
  yield { event: 'partCompleted', ...part };
  yield { event: 'done', messageId: part.messageId };
  yield { event: 'suggestedFollowups', messageId: part.messageId, suggestions: content.followUps };
}
