import { createHash } from 'node:crypto';
import type { SandboxNote, SandboxReply } from '../../sandbox.js';
import { contentOf, type Content, type Source } from '../../steering/content.js';
import { writeMarkdown } from '../../steering/markdown.js';
import { productsOf, spotsOf, type Offering, type Spot } from '../../steering/offerings.js';
import { padding } from '../../steering/responses.js';
import type { Steering } from '../../steering/steering.js';

type Fields = Record<string, unknown>;

/** A mark in the app's private characters, and the content reference that explains it. */
interface Marked {
  mark: string;
  reference: Fields;
}

const markOf = (kind: string, ...fields: unknown[]): string =>
  `\uE200${[kind, ...fields.map((field) => (typeof field === 'string' ? field : JSON.stringify(field)))].join('\uE202')}\uE201`;

/** Answers as chatgpt.com does: a stream of messages, each whole at first and patched from then on. */
export function answerWeb(note: SandboxNote, steering: Steering): SandboxReply {
  return {
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-cache' },
    body: sentFrames(note, steering),
    broken: steering.truncate,
  };
}

const CHUNKS_OF_TRUNCATED = 8;

const sent = (payload: unknown, event?: string): string =>
  `${event ? `event: ${event}\n` : ''}data: ${typeof payload === 'string' ? payload : JSON.stringify(payload)}\n\n`;

const delta = (fields: Fields): string => sent(fields, 'delta');

function* sentFrames(note: SandboxNote, steering: Steering): Generator<string> {
  const content = contentOf({ text: steering.text, country: note.country ?? 'US', nonce: steering.nonce });
  const { text, references } = textOf(content, steering);
  const id = idsOf(note);

  yield sent('"v1"', 'delta_encoding');
  yield sent({ type: 'resume_conversation_token', conversation_id: id('conversation'), token: `sandbox.${id('token')}` });
  for (const block of padding(steering.largeBytes)) yield sent({ type: 'server_ste_metadata', metadata: { padding: block } });
  yield delta({
    p: '',
    o: 'add',
    v: { message: messageOf(id('question'), 'user', { content_type: 'text', parts: [note.prompt] }), conversation_id: id('conversation') },
    c: 0,
  });
  yield delta({
    v: {
      message: { ...messageOf(id('call'), 'assistant', { content_type: 'code', text: `search(${JSON.stringify(content.queries[0])})` }), recipient: 'web' },
    },
    c: 1,
  });
  yield delta({ v: { message: { ...messageOf(id('search'), 'tool', { content_type: 'text', parts: [''] }), metadata: searchOf(content) } }, c: 2 });
  yield delta({
    v: {
      message: {
        ...messageOf(id('answer'), 'assistant', { content_type: 'text', parts: [''] }),
        status: 'in_progress',
        channel: 'final',
        metadata: { model_slug: 'gpt-5' },
      },
    },
    c: 3,
  });
  yield sent({ type: 'message_marker', conversation_id: id('conversation'), message_id: id('answer'), marker: 'final_channel_token', event: 'first' });

  const [first = '', ...others] = steering.empty ? [] : (text.match(/\s*\S+|\s+$/g) ?? []);
  yield delta({ p: '/message/content/parts/0', o: 'append', v: first });
  // Each goes on where the one before was.
  for (const v of steering.truncate ? others.slice(0, CHUNKS_OF_TRUNCATED) : others) yield delta({ v });
  if (steering.truncate) return;

  const finish = { is_complete: true, finish_details: { type: 'stop' } };
  yield delta({
    p: '',
    o: 'patch',
    v: [
      { p: '/message/metadata/content_references', o: 'append', v: steering.empty ? [] : references },
      { p: '/message/status', o: 'replace', v: 'finished_successfully' },
      { p: '/message/end_turn', o: 'replace', v: true },
      { p: '/message/metadata', o: 'append', v: finish },
    ],
  });
  yield sent({ type: 'message_stream_complete', conversation_id: id('conversation') });
  if (steering.words.has('ads')) yield sent({ type: 'ads', content: adOf(content) });
  // What the app asks for each product afterwards.
  if (steering.words.has('shopping'))
    for (const product of productsOf(content)) yield sent({ type: 'product_entity', product: { ...productOf(product, content), offers: offersOf(product) } });
  yield sent('[DONE]');
}

function idsOf({ prompt, country }: SandboxNote): (name: string) => string {
  return (name) => {
    const hash = createHash('sha256')
      .update(JSON.stringify([prompt, country, name]))
      .digest('hex');
    return `${hash.slice(0, 8)}-${hash.slice(8, 12)}-4${hash.slice(13, 16)}-8${hash.slice(17, 20)}-${hash.slice(20, 32)}`;
  };
}

const messageOf = (id: string, role: string, content: Fields): Fields => ({
  id,
  author: { role, name: role === 'tool' ? 'web.run' : null },
  content,
  status: 'finished_successfully',
  recipient: 'all',
  metadata: {},
});

/** What the search tool tells about itself. */
const searchOf = ({ queries, sources }: Content): Fields => ({
  search_model_queries: { type: 'search_model_queries', queries },
  search_result_groups: sources.map((source) => ({
    type: 'search_result_group',
    domain: source.domain,
    entries: [{ type: 'search_result', ...pageOf(source) }],
  })),
});

const pageOf = ({ url, title, snippet, site, date }: Source): Fields => ({
  title,
  url: attributed(url),
  snippet,
  attribution: site,
  pub_date: Date.parse(date) / 1000,
});

const attributed = (url: string): string => `${url}&utm_source=chatgpt.com`;

/** The answer's text with its marks, and the references that explain them in the order of the text. */
function textOf(content: Content, { words }: Steering): { text: string; references: Fields[] } {
  const written = writeMarkdown(content, { gap: ' ', mark: (_source, index) => markOf('cite', `turn0search${index}`) });
  const widgets = [...(words.has('shopping') ? [carousel(content), standAlone(content)] : []), ...(words.has('places') ? [map(content)] : []), entity(content)];
  const text = [written.text, ...widgets.map(({ mark }) => mark)].join('\n\n');
  const cited = written.marks.map(({ source, index }) => citation(source, index, content));
  return { text, references: [...located(text, [...cited, ...widgets]), footnote(content, text)] };
}

/** References with the places of their marks, which count characters, not UTF-16 units. */
function located(text: string, marked: Marked[]): Fields[] {
  let read = 0;
  return marked.map(({ mark, reference }) => {
    const at = text.indexOf(mark, read);
    read = at + mark.length;
    const start = [...text.slice(0, at)].length;
    return { matched_text: mark, start_idx: start, end_idx: start + [...mark].length, ...reference };
  });
}

function citation(source: Source, index: number, { sources }: Content): Marked {
  // The last page that was found stands behind the first one that is cited.
  const supporting = index === 0 ? sources.slice(-1).map(pageOf) : [];
  const items = [{ ...pageOf(source), supporting_websites: supporting, refs: [{ turn_index: 0, ref_type: 'search', ref_index: index }] }];
  const reference = { type: 'grouped_webpages', alt: `([${source.site}](${attributed(source.url)}))`, items, status: 'done', error: null };
  return { mark: markOf('cite', `turn0search${index}`), reference };
}

const footnote = ({ sources }: Content, text: string): Fields => ({
  matched_text: ' ',
  start_idx: [...text].length,
  end_idx: [...text].length,
  type: 'sources_footnote',
  alt: '',
  sources: sources.slice(0, 3).map(({ title, url, site }) => ({ title, url: attributed(url), attribution: site })),
});

const entity = ({ place }: Content): Marked => ({ mark: markOf('entity', ['country', place, 0]), reference: { type: 'entity', alt: place, name: place } });

function carousel(content: Content): Marked {
  const products = productsOf(content);
  const selections = products.map(({ title }, index) => [`turn0product${index}`, title]);
  return {
    mark: markOf('products', { selections, tags: ['Tested', content.place] }),
    reference: { type: 'products', alt: null, products: products.map((product) => productOf(product, content)) },
  };
}

function standAlone(content: Content): Marked {
  const [product] = productsOf(content) as [Offering];
  const [source] = content.sources as [Source];
  const cite = { cite: 'turn0search0', cite_url: source.url };
  const details = {
    rationale: { rationale: product.description, citations: [{ title: source.title, url: source.url }] },
    reviews: {
      summary: `Buyers in ${content.place} would take it again.`,
      reviews: [{ source: source.site, theme: 'In use', summary: source.snippet, ...cite, rating: product.rating, num_reviews: product.reviews }],
    },
  };
  return {
    mark: markOf('product_entity', ['turn0product0', product.title]),
    reference: { type: 'product_entity', alt: product.title, render_as: 'inline', product: productOf(product, content), details },
  };
}

const productOf = ({ id, title, url, price, merchant, rating, reviews, imageUrl }: Offering, { topic, sources }: Content): Fields => ({
  id,
  title,
  url: `${url}?utm_source=chatgpt.com`,
  price: dollars(price),
  merchants: `${merchant} + others`,
  rating,
  num_reviews: reviews,
  image_urls: [imageUrl],
  featured_tag: null,
  description: null,
  offers: [],
  variants: null,
  cite: 'turn0product0',
  rating_grouped_citation: {
    title: sources[0]?.title,
    url: sources[0]?.url,
    supporting_websites: sources.slice(1, 2).map(({ title, url }) => ({ title, url })),
  },
  providers: ['p2'],
  metadata_sources: ['p2'],
  product_lookup_key: { data: JSON.stringify({ request_query: topic, id }), version: '1' },
  product_lookup_data: { request_query: topic, all_ids: { p2: [id] }, metadata_sources: ['p2'] },
});

const offersOf = ({ title, url, merchant, price, oldPrice }: Offering): Fields[] => [
  {
    merchant_name: merchant,
    product_name: title,
    url,
    price: dollars(price),
    original_price: dollars(oldPrice),
    details: 'In stock',
    available: true,
    checkoutable: false,
    price_details: { base: dollars(price), total: dollars(price), shipping: null, tax: null },
    tag: { text: 'Best price', tooltip: null },
  },
];

const dollars = (amount: number): string => `$${amount.toFixed(2)}`;

function map(content: Content): Marked {
  const spots = spotsOf(content, 'Café');
  return {
    mark: markOf(
      'businesses_map',
      ...spots.map(({ name, address, description }) => ({ name, location: address.join(', '), description, cite: 'turn0business0' })),
    ),
    reference: { type: 'businesses_map', alt: null, businesses: spots.map(businessOf), business_fallbacks: [] },
  };
}

const businessOf = ({ id, name, category, description, address, phone, rating, reviews, lat, lng, url }: Spot): Fields => ({
  id,
  provider: 'yelp',
  name,
  address: address.join(', '),
  description,
  phone,
  website_url: url,
  latitude: lat,
  longitude: lng,
  categories: [category],
  rating,
  review_count: reviews,
});

function adOf(content: Content): Fields {
  const [product] = productsOf(content).slice(-1) as [Offering];
  const host = new URL(product.url).host;
  return {
    type: 'single_advertiser_ad_unit',
    ads_request_id: product.id,
    advertiser_brand: { name: product.merchant, url: host, favicon_url: `https://${host}/favicon.png`, id: `adacct_${product.id}` },
    carousel_cards: [
      {
        title: product.title,
        body: product.description,
        image_url: product.imageUrl,
        target: { type: 'url', value: `${product.url}?utm_source=chatgpt`, open_externally: false },
      },
    ],
  };
}
