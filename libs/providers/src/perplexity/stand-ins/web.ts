import { createHash } from 'node:crypto';
import type { SandboxNote, SandboxReply } from '../../sandbox.js';
import { picturesOf, productsOf, spotsOf, type Spot } from '../../steering/offerings.js';
import { padding } from '../../steering/responses.js';
import type { Steering } from '../../steering/steering.js';
import { draftOf, type Draft } from './draft.js';

type Fields = Record<string, unknown>;

/** Answers as perplexity.ai does: a stream of frames whose blocks are patched until a last frame has all of them whole. */
export function answerWeb(note: SandboxNote, steering: Steering): SandboxReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: sentFrames(note, steering),
    broken: steering.truncate,
  };
}

const sent = (event: string, fields: Fields) => `event: ${event}\r\ndata: ${JSON.stringify(fields)}\r\n\r\n`;

function* sentFrames(note: SandboxNote, steering: Steering): Generator<string> {
  const draft = draftOf(note, steering);
  const head = headOf(note);
  for (const blocks of unfinishedBlocks(draft, steering)) {
    yield sent('message', { ...head, text_completed: false, blocks, message_mode: 'STREAMING', status: 'PENDING', final_sse_message: false });
  }
  if (steering.truncate) return;
  yield sent('message', { ...head, ...endOf(draft, note), text_completed: true, blocks: finishedBlocks(draft, steering) });
  yield sent('end_of_stream', {});
}

function headOf({ prompt, country }: SandboxNote): Fields {
  const hash = createHash('sha256')
    .update(JSON.stringify([prompt, country]))
    .digest('hex');
  const id = `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  return { backend_uuid: id, uuid: id, display_model: 'turbo', user_selected_model: 'turbo', mode: 'COPILOT', search_focus: 'internet', thread_url_slug: id };
}

/** What the last frame tells about the whole answer; its `text` is JSON inside the JSON. */
function endOf({ content }: Draft, { prompt, country }: SandboxNote): Fields {
  const queries = content.queries.map((query) => ({ engine: 'web', query, limit: 8 }));
  const steps = [
    { step_type: 'INITIAL_QUERY', content: { goal_id: null, query: prompt }, uuid: '' },
    { step_type: 'SEARCH_WEB', content: { goal_id: '0', queries }, uuid: '' },
  ];
  return {
    query_str: prompt,
    text: JSON.stringify(steps),
    related_queries: content.followUps,
    related_query_items: content.followUps.map((text) => ({ text, type: 'DEFAULT' })),
    message_mode: 'FULL',
    status: 'COMPLETED',
    final_sse_message: true,
    _extras: { country },
  };
}

/** The blocks of each frame while the answer grows. */
function* unfinishedBlocks(draft: Draft, { largeBytes, words, truncate }: Steering): Generator<Fields[]> {
  const [first = '', ...others] = truncate ? draft.chunks.slice(0, 8) : draft.chunks;
  yield [
    { intended_usage: 'workflow_root', workflow_block: { version: '1.0', status: 'WORKFLOW_EXECUTING_STEPS', steps: [searchStep([queriesItem(draft)])] } },
  ];
  for (const description of padding(largeBytes)) {
    yield [patching('plan', 'plan_block', { op: 'replace', path: '', value: { progress: 'IN_PROGRESS', goals: [{ id: '0', description }], final: false } })];
  }
  yield [
    patching('workflow_root', 'workflow_block', { op: 'add', path: '/steps/0/items/1', value: sourcesItem(draft) }),
    patching('web_results', 'web_result_block', { op: 'replace', path: '', value: { progress: 'IN_PROGRESS', web_results: webResults(draft) } }),
    ...(hasMedia(words) ? [patching('media_items', 'media_block', { op: 'replace', path: '', value: mediaBlock(draft, words) })] : []),
  ];
  if (!first) return;
  yield [patching('workflow_root', 'workflow_block', { op: 'add', path: '/steps/1', value: textStep([first]) })];
  for (const [index, value] of others.entries()) {
    yield [patching('workflow_root', 'workflow_block', { op: 'add', path: `/steps/1/items/0/payload/text_payload/chunks/${index + 1}`, value })];
  }
}

const patching = (usage: string, field: string, patch: Fields): Fields => ({ intended_usage: usage, diff_block: { field, patches: [patch] } });

/** All blocks of the finished answer. */
function finishedBlocks(draft: Draft, { words }: Steering): Fields[] {
  const steps = [searchStep([queriesItem(draft), sourcesItem(draft)]), ...(draft.text ? [textStep(draft.chunks, draft.text)] : [])];
  const optional: [word: boolean, block: () => Fields][] = [
    [hasMedia(words), () => ({ intended_usage: 'media_items', media_block: mediaBlock(draft, words) })],
    [words.has('shopping'), () => ({ intended_usage: 'shopping_answer_mode', shopping_mode_block: { shopping_widgets: [shoppingWidget(draft)] } })],
    [words.has('hotels'), () => ({ intended_usage: 'hotels_answer_mode', hotels_mode_block: { hotels: spotsOf(draft.content, 'Hotel').map(hotelOf) } })],
    [words.has('places'), () => ({ intended_usage: 'maps_answer_mode', maps_mode_block: { places: spotsOf(draft.content, 'Café').map(placeOf) } })],
  ];
  return [
    { intended_usage: 'workflow_root', workflow_block: { version: '1.0', status: 'WORKFLOW_COMPLETED', steps } },
    { intended_usage: 'web_results', web_result_block: { progress: 'DONE', web_results: webResults(draft) } },
    ...optional.filter(([isWanted]) => isWanted).map(([, block]) => block()),
    { intended_usage: 'pending_followups', pending_followups_block: { followups: [] } },
  ];
}

const searchStep = (items: Fields[]): Fields => ({ status: 'WORKFLOW_COMPLETED', title: 'Searching the web', items, tool_name: 'search_web' });

const queriesItem = ({ content }: Draft): Fields => ({ type: 'WORKFLOW_ITEM_QUERIES', payload: { queries_payload: { queries: content.queries } } });

const sourcesItem = ({ content }: Draft): Fields => ({
  type: 'WORKFLOW_ITEM_SOURCES',
  payload: { sources_payload: { sources: content.sources.map(({ title, snippet, url }) => ({ name: title, snippet, url })) } },
});

const textStep = (chunks: string[], text = ''): Fields => ({
  status: 'WORKFLOW_PENDING',
  title: '',
  items: [{ type: 'WORKFLOW_ITEM_TEXT', payload: { text_payload: { text, chunks, variant: 'answer', is_streaming: text === '' } }, variant: 'answer' }],
});

const webResults = ({ content }: Draft): Fields[] =>
  content.sources.map(({ title, snippet, date, url }) => ({ name: title, snippet, timestamp: `${date}T00:00:00`, url, is_attachment: false }));

const hasMedia = (words: Steering['words']) => words.has('images') || words.has('videos');

function mediaBlock({ content }: Draft, words: Steering['words']): Fields {
  const pictures = picturesOf(content).map(({ title, pageUrl, imageUrl, thumbnailUrl, width, height }) => ({
    image: {
      medium: 'image',
      image: imageUrl,
      image_width: width,
      image_height: height,
      url: pageUrl,
      name: title,
      source: 'web',
      thumbnail: thumbnailUrl,
      thumbnail_width: 300,
      thumbnail_height: 169,
    },
    video: {
      medium: 'video',
      image: imageUrl,
      url: `${pageUrl}&watch=1`,
      name: title,
      source: 'youtube',
      thumbnail: thumbnailUrl,
      thumbnail_width: 480,
      thumbnail_height: 270,
    },
  }));
  return {
    media_items: [...(words.has('images') ? pictures.map(({ image }) => image) : []), ...(words.has('videos') ? pictures.map(({ video }) => video) : [])],
    generated_media_items: [],
  };
}

function shoppingWidget({ content }: Draft): Fields {
  const products = productsOf(content).map(({ id, title, description, merchant, price, oldPrice, rating, reviews, url, imageUrl }) => {
    const offer = { merchant_name: merchant, product_name: title, url, price: dollars(price), original_price: dollars(oldPrice), available: true };
    return { id, title, description, url, price: dollars(price), rating, num_reviews: reviews, image_urls: [imageUrl], merchant, offers: [offer] };
  });
  return { title: content.topic, tags: ['Tested', content.place], products };
}

const dollars = (amount: number) => `$${amount.toFixed(2)}`;

const placeOf = ({ name, category, address, rating, reviews, phone, lat, lng, url, imageUrl }: Spot): Fields => ({
  name,
  url,
  map_url: `https://maps.example/?q=${lat},${lng}`,
  address,
  rating,
  num_reviews: reviews,
  phone,
  lat,
  lng,
  categories: [category],
  images: [imageUrl],
  is_open: true,
});

const hotelOf = (spot: Spot): Fields => ({
  ...placeOf(spot),
  description: spot.description,
  image_url: spot.imageUrl,
  price_level: '$'.repeat(spot.priceLevel),
});
