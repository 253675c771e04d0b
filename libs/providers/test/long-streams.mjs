// Streams of any length, as each upstream sends them: for the test of their memory and for the benchmark of their parsing.

/**
 * @typedef {object} LongStream
 * @property {string} format its name in operations.md
 * @property {string} provider
 * @property {(url: string) => Record<string, string>} settings what makes the provider's engine ask at an address
 * @property {boolean} cumulative whether each event repeats all of the answer so far
 * @property {(count: number, textLength?: number) => Generator<string>} pieces a stream of so many events, each as it is sent; `textLength` is that of a cumulative answer
 */

const SITES = 50;
const WORDS = ['the ', 'Pumpe ', 'это ', 'は静か', ' ہے ', '🐟 ', '**quiet** ', 'é '];
/** So short that a hundred thousand events, each with half of it on average, stay below the limit of an answer's size. */
const CUMULATIVE_TEXT_LENGTH = 300;

const site = (/** @type {number} */ n) => `https://site${n % SITES}.example/page?utm_source=x`;
const word = (/** @type {number} */ n) => WORDS[n % WORDS.length] + (n % 60 === 59 ? '\n\n' : '');
const isCited = (/** @type {number} */ n) => n % 26 === 25;

const sse = (/** @type {unknown} */ payload) => `data: ${JSON.stringify(payload)}\n\n`;
const line = (/** @type {unknown} */ payload) => `${JSON.stringify(payload)}\n`;

/** @type {LongStream[]} */
export const LONG_STREAMS = [
  {
    format: 'openai-responses',
    provider: 'CHATGPT',
    settings: (url) => ({ OPENAI_API_KEY: 'key', OPENAI_BASE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const response = { id: 'r', model: 'gpt-5', status: 'in_progress', output: [], tools: [] };
      const place = { output_index: 0, content_index: 0 };
      let length = 0;
      yield sse({ type: 'response.created', response });
      for (let n = 0; n < count; n++) {
        const [start, link] = [length, isCited(n) ? `([site](${site(n)}))` : ''];
        const delta = word(n) + link;
        length += delta.length;
        yield sse({ type: 'response.output_text.delta', ...place, sequence_number: n, delta, logprobs: [], obfuscation: 'x'.repeat(16 - (n % 7)) });
        const annotation = { type: 'url_citation', url: site(n), title: `Page ${n}`, start_index: start + word(n).length, end_index: length };
        if (link) yield sse({ type: 'response.output_text.annotation.added', ...place, annotation });
      }
      yield sse({ type: 'response.completed', response: { ...response, status: 'completed' } });
    },
  },
  {
    format: 'openai-chat',
    provider: 'CHATGPT',
    settings: (url) => ({ CHATGPT_CAPTURE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const chunk = (/** @type {object} */ delta, /** @type {string | null} */ finish_reason = null) =>
        sse({ object: 'chat.completion.chunk', id: 'c', model: 'gpt-4o-search-preview', choices: [{ index: 0, delta, finish_reason }] });
      for (let n = 0; n < count; n++) yield chunk({ content: word(n) });
      const annotations = Array.from({ length: SITES }, (_, n) => ({
        type: 'url_citation',
        url_citation: { url: site(n), title: 'A page', start_index: n, end_index: n + 1 },
      }));
      yield chunk({ annotations }, 'stop');
    },
  },
  {
    format: 'chatgpt-web',
    provider: 'CHATGPT',
    settings: (url) => ({ CHATGPT_CAPTURE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const message = {
        id: 'm',
        author: { role: 'assistant' },
        recipient: 'all',
        status: 'in_progress',
        content: { content_type: 'text', parts: [''] },
        metadata: { content_references: [] },
      };
      yield sse('v1');
      yield sse({ type: 'resume_conversation_token', conversation_id: 'c', token: 't' });
      yield sse({ p: '', o: 'add', v: { message } });
      yield sse({ p: '/message/content/parts/0', o: 'append', v: 'So: ' });
      for (let n = 0; n < count; n++) {
        const mark = `\uE200cite\uE202turn0search${n}\uE201`;
        yield sse({ v: word(n) + (isCited(n) ? mark : '') });
        if (!isCited(n)) continue;
        const items = [{ url: site(n), title: `Page ${n}`, attribution: 'Site' }];
        const reference = { type: 'grouped_webpages', matched_text: mark, items };
        yield sse({ p: '', o: 'patch', v: [{ p: '/message/metadata/content_references', o: 'append', v: [reference] }] });
        yield sse({ p: '/message/content/parts/0', o: 'append', v: '.' });
      }
      yield sse({ p: '', o: 'patch', v: [{ p: '/message/status', o: 'replace', v: 'finished_successfully' }] });
      yield sse({ type: 'message_stream_complete' });
    },
  },
  {
    format: 'sonar',
    provider: 'PERPLEXITY',
    settings: (url) => ({ PERPLEXITY_API_KEY: 'key', PERPLEXITY_BASE_URL: url }),
    cumulative: true,
    *pieces(count, textLength = CUMULATIVE_TEXT_LENGTH) {
      const citations = [0, 1].map(site);
      const search_results = citations.map((url, n) => ({ url, title: `Page ${n}` }));
      const text = textWithMarks(textLength, (n) => `[${(n % 2) + 1}]`);
      for (let n = 1; n <= count; n++) {
        const [before, content] = [n - 1, n].map((told) => text.slice(0, Math.ceil((textLength * told) / count)));
        const choice = {
          index: 0,
          finish_reason: n === count ? 'stop' : null,
          message: { role: 'assistant', content },
          delta: { content: content?.slice(before?.length) },
        };
        const object = n === count ? 'chat.completion.done' : 'chat.completion.chunk';
        yield sse({ id: 's', model: 'sonar', object, citations, search_results, choices: [choice] });
      }
    },
  },
  {
    format: 'perplexity-web',
    provider: 'PERPLEXITY',
    settings: (url) => ({ PERPLEXITY_CAPTURE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const frame = (/** @type {object} */ fields) =>
        `event: message\r\ndata: ${JSON.stringify({ backend_uuid: 'b', display_model: 'turbo', status: 'PENDING', ...fields })}\r\n\r\n`;
      const patch = (/** @type {object} */ op) => frame({ blocks: [{ intended_usage: 'ask_text', diff_block: { field: 'markdown_block', patches: [op] } }] });
      const web_results = Array.from({ length: SITES }, (_, n) => ({ url: site(n), name: `Page ${n}`, snippet: 'A pump hums.' }));
      yield frame({ blocks: [{ intended_usage: 'web_results', web_result_block: { web_results } }] });
      yield patch({ op: 'replace', path: '', value: { progress: 'IN_PROGRESS', chunks: [] } });
      for (let n = 0; n < count; n++) yield patch({ op: 'add', path: `/chunks/${n}`, value: word(n) + (isCited(n) ? `[${(n % SITES) + 1}]` : '') });
      yield frame({ blocks: [], status: 'COMPLETED', final_sse_message: true });
    },
  },
  {
    format: 'xai-responses',
    provider: 'GROK',
    settings: (url) => ({ XAI_API_KEY: 'key', XAI_BASE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const response = { id: 'r', model: 'grok-4', status: 'in_progress', output: [] };
      const place = { output_index: 0, content_index: 0 };
      let length = 0;
      for (let n = 0; n < count; n++) {
        const link = isCited(n) ? `[[${(n % SITES) + 1}]](${site(n)})` : '';
        const start = length + word(n).length;
        length = start + link.length;
        yield sse({ type: 'response.output_text.delta', ...place, sequence_number: n, delta: word(n) + link });
        const annotation = { type: 'url_citation', url: site(n), title: '1', start_index: start, end_index: length };
        if (link) yield sse({ type: 'response.output_text.annotation.added', ...place, annotation });
      }
      yield sse({ type: 'response.completed', response: { ...response, status: 'completed' } });
    },
  },
  {
    format: 'grok-web',
    provider: 'GROK',
    settings: (url) => ({ GROK_CAPTURE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const event = (/** @type {object} */ response) => line({ result: { response } });
      yield event({ userResponse: { model: 'grok-4' } });
      for (let n = 0; n < SITES; n++)
        yield event({ cardAttachment: { jsonData: JSON.stringify({ id: `card${n}`, type: 'render_inline_citation', url: site(n) }) } });
      for (let n = 0; n < count; n++) {
        const card = isCited(n) ? `<grok:render card_id="card${n % SITES}" card_type="citation_card" type="render_inline_citation"></grok:render>` : '';
        yield event({ token: word(n) + card, isThinking: false, isSoftStop: false, messageTag: 'final', messageStepId: 0 });
      }
      yield event({ isSoftStop: true });
    },
  },
  {
    format: 'gemini',
    provider: 'GEMINI',
    settings: (url) => ({ GEMINI_API_KEY: 'key', GEMINI_BASE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const frame = (/** @type {object} */ candidate) =>
        sse({ candidates: [candidate], modelVersion: 'gemini-2.5-flash', responseId: 'g', usageMetadata: { totalTokenCount: 7 } });
      const supports = [];
      let bytes = 0;
      for (let n = 0; n < count; n++) {
        const startIndex = bytes;
        bytes += Buffer.byteLength(word(n));
        if (isCited(n)) supports.push({ segment: { startIndex, endIndex: bytes, text: word(n) }, groundingChunkIndices: [n % SITES], confidenceScores: [0.9] });
        yield frame({ content: { role: 'model', parts: [{ text: word(n) }] }, index: 0 });
      }
      const groundingChunks = Array.from({ length: SITES }, (_, n) => ({ web: { uri: site(n), title: `site${n}.example` } }));
      yield frame({
        content: { parts: [] },
        finishReason: 'STOP',
        groundingMetadata: { groundingChunks, groundingSupports: supports, webSearchQueries: ['pump'] },
      });
    },
  },
  {
    format: 'gemini-interactions',
    provider: 'GEMINI',
    settings: (url) => ({ GEMINI_CAPTURE_URL: url }),
    cumulative: false,
    *pieces(count) {
      yield sse({ event_type: 'interaction.created', interaction: { object: 'interaction', id: 'i', model: 'gemini-3', status: 'in_progress' } });
      yield sse({ event_type: 'step.start', index: 0, step: { type: 'model_output' } });
      let bytes = 0;
      for (let n = 0; n < count; n++) {
        const start_index = bytes;
        bytes += Buffer.byteLength(word(n));
        const annotations = isCited(n) ? [{ type: 'url_citation', url: site(n), title: `Page ${n}`, start_index, end_index: bytes }] : [];
        yield sse({ event_type: 'step.delta', index: 0, delta: { type: 'text', text: word(n), annotations } });
      }
      yield sse({ event_type: 'interaction.completed', interaction: { id: 'i', status: 'completed' } });
    },
  },
  {
    format: 'copilot-web',
    provider: 'COPILOT',
    settings: (url) => ({ COPILOT_CAPTURE_URL: url }),
    cumulative: false,
    *pieces(count) {
      const place = { messageId: 'm', partId: 'p' };
      yield line({ event: 'startMessage', messageId: 'm' });
      for (let n = 0; n < count; n++) {
        yield JSON.stringify({ event: 'appendText', ...place, text: word(n) }) + (isCited(n) ? '' : '\n');
        if (isCited(n)) yield line({ event: 'citation', ...place, url: site(n), title: `Page ${n}` });
      }
      yield line({ event: 'done', messageId: 'm' });
    },
  },
  {
    format: 'm365-copilot',
    provider: 'COPILOT',
    settings: (url) => ({ COPILOT_CAPTURE_URL: url }),
    cumulative: true,
    *pieces(count, textLength = CUMULATIVE_TEXT_LENGTH) {
      const attributions = Array.from({ length: 10 }, (_, n) => ({ attributionType: 'citation', providerDisplayName: `Page ${n}`, seeMoreWebUrl: site(n) }));
      const text = textWithMarks(textLength, (n) => `[^${(n % 10) + 1}^]`);
      const conversation = (/** @type {number} */ turnCount, /** @type {object[]} */ messages) =>
        `data: ${JSON.stringify({ id: 'c', turnCount, messages }, null, 1)}\nid: 1\n\n`;
      for (let n = 1; n < count; n++) yield conversation(0, [{ id: 'a', text: text.slice(0, Math.ceil((textLength * n) / count)), attributions: [] }]);
      yield conversation(1, [
        { id: 'q', text: 'Which?' },
        { id: 'a', text, attributions },
      ]);
    },
  },
];

/** @param {number} length @param {(n: number) => string} markAt */
function textWithMarks(length, markAt) {
  let text = '';
  for (let n = 0; text.length < length; n++) text += word(n) + (isCited(n) ? markAt(n) : '');
  return text.slice(0, length);
}
