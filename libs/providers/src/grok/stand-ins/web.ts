import { createHash } from 'node:crypto';
import type { SandboxNote, SandboxReply } from '../../sandbox.js';
import { contentOf, type Source } from '../../steering/content.js';
import { writeMarkdown } from '../../steering/markdown.js';
import { padding } from '../../steering/responses.js';
import type { Steering } from '../../steering/steering.js';

/** What grok.com streams to its page, as a capture service hands it on: JSON Lines, the whole answer once more at the end. */
export function answerWeb(note: SandboxNote, steering: Steering): SandboxReply {
  return { status: 200, headers: { 'content-type': 'application/json' }, body: linesOf(note, steering), broken: steering.truncate };
}

function* linesOf({ prompt, country = 'US' }: SandboxNote, steering: Steering): Generator<string> {
  const content = contentOf({ text: steering.text, country, nonce: steering.nonce });
  const { text } = writeMarkdown(content, { gap: '', mark: (_source, index) => citationOf(index) });
  const message = steering.empty ? '' : text;
  const results = content.sources.map(resultOf);
  const cards = content.sources.map(({ url }, index) => JSON.stringify({ id: cardOf(index), type: 'render_inline_citation', cardType: 'citation_card', url }));
  const responseId = createHash('sha256').update(`${prompt} ${country}`).digest('hex').slice(0, 32);
  const line = (response: object) => `${JSON.stringify({ result: { response: { ...response, responseId } } })}\n`;
  const thought = (token: string, more: object) => line({ token, isThinking: true, ...more });

  yield `${JSON.stringify({ result: { conversation: { conversationId: responseId, title: 'New conversation' } } })}\n`;
  yield line({ userResponse: { message: prompt, sender: 'human', model: 'grok-4-auto' } });
  yield thought('Comparing tests', { messageTag: 'header' });
  for (const token of padding(steering.largeBytes)) yield thought(token, { messageTag: 'summary' });
  for (const [index, query] of content.queries.entries()) {
    const toolUsageCard = { toolUsageCardId: `t${index + 1}`, [index < 2 ? 'webSearch' : 'xKeywordSearch']: { args: { query } } };
    yield thought('', { messageTag: 'tool_usage_card', toolUsageCard });
  }
  yield line({ webSearchResults: { results }, messageTag: 'raw_function_result', toolUsageCardId: 't1' });
  const tokens = message.match(/\s*\S+|\s+$/g) ?? [];
  for (const token of steering.truncate ? tokens.slice(0, 8) : tokens) yield line({ token, isThinking: false, messageTag: 'final' });
  if (steering.truncate) return;
  yield line({ token: '', isThinking: false, isSoftStop: true });
  yield line({
    modelResponse: { responseId, message, sender: 'assistant', partial: false, model: 'grok-4-auto', webSearchResults: results, cardAttachmentsJson: cards },
  });
}

const cardOf = (index: number): string => `c${index + 1}`;

const citationOf = (index: number): string =>
  `<grok:render card_id="${cardOf(index)}" card_type="citation_card" type="render_inline_citation"><argument name="citation_id">${index}</argument></grok:render>`;

/** A search result with all that grok.com tells about a page; some of it is often empty. */
const resultOf = ({ url, domain, site, title, snippet }: Source) => ({
  url,
  title,
  preview: snippet,
  searchEngineText: `${title}. ${snippet}`,
  description: '',
  siteName: site,
  metadataTitle: title,
  creator: '',
  image: `https://img.${domain}/cover.jpg`,
  favicon: `https://${domain}/favicon.ico`,
  citationId: '',
});
