import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import type { JsonRecord } from '../../formats/json.js';
import { readPayloads } from '../../formats/payloads.js';
import { chatgptEngine } from '../engine.js';
import { extractWebEvents, isChatgptWeb, readChatgptWeb } from './chatgpt-web.js';
import { extractResult } from './result.js';

const read = (file: string) => readFileSync(new URL(`../fixtures/${file}`, import.meta.url), 'utf8');
const all = { html: false, markdown: true, rawResponse: true, searchQueries: true, ads: true, shopping: true };
async function payloadsIn(file: string): Promise<JsonRecord[]> {
  const payloads: JsonRecord[] = [];
  for await (const payload of readPayloads([read(file)])) payloads.push(payload);
  return payloads;
}
async function extracted(file: string, include: Partial<typeof all> = {}) {
  const payloads = await payloadsIn(file);
  return extractResult(await readChatgptWeb(payloads), { ...all, ...include }, payloads);
}
const eventsOf = async (...payloads: JsonRecord[]) => extractWebEvents(await readChatgptWeb(payloads), payloads);
const assistant = (fields: object = {}) => ({
  id: 'a',
  author: { role: 'assistant' },
  recipient: 'all',
  content: { content_type: 'text', parts: ['Yes.'] },
  metadata: {},
  ...fields,
});

const cited = await extracted('web-cited.sse');
const shopping = await extracted('web-shopping.sse');

describe('the text of the web app', () => {
  it('is its words: citations gone, links of the words and names of things kept', async () => {
    expect((await extracted('web-cited.sse')).text).toBe(
      'For a bedroom tank 🐟 the Airpipe Nano is the quietest: 24 dB.\n\nBudget: Bublo 50, by Bublo.\nRuns on USB: none.\n\nThe makers keep a table of noise levels.',
    );
  });

  it('has its marks as links in the Markdown, and no private characters', async () => {
    const { markdown = '' } = await extracted('web-cited.sse');
    expect(markdown).toContain('**Airpipe Nano** is the quietest: 24 dB. ([Tank Hush](https://tankhush.example/reviews/airpipe-nano');
    expect(markdown).toContain('([Bublo 50](https://www.pumpwise.example/bublo-50');
    expect(markdown).toContain('[a table of noise levels](https://noise.example/table');
    for (const file of ['web-cited.sse', 'web-shopping.sse', 'web-conversation.json', 'web-broken-off.sse']) {
      const { text, markdown: marked } = await extracted(file);
      expect(text + marked).not.toMatch(/[\uE000-\uF8FF]/);
    }
  });

  it('is of the current branch’s last turn, without thoughts, remarks and searches', async () => {
    expect((await extracted('web-conversation.json')).text).toBe('The Nano is. No page backs this.');
    const turn = [
      { author: { role: 'user' }, content: { content_type: 'text', parts: ['?'] } },
      assistant({ id: 'b', channel: 'commentary', content: { content_type: 'text', parts: ['Searching.'] } }),
      assistant({ id: 'c', recipient: 'web', content: { content_type: 'code', text: 'search("x")' } }),
      assistant({ id: 'd', content: { content_type: 'thoughts', thoughts: [] } }),
      assistant({ id: 'e', metadata: { is_visually_hidden_from_conversation: true } }),
      assistant({ id: 'f' }),
    ];
    expect((await readChatgptWeb(turn)).parts.map(({ text }) => text)).toEqual(['Yes.']);
  });
});

describe('the sources of the web app', () => {
  it('are the cited pages in order, then what stands behind them and what else was found, as footnotes', async () => {
    expect((await extracted('web-cited.sse')).sources.map(({ url, footnote }) => [url, footnote])).toEqual([
      ['https://tankhush.example/reviews/airpipe-nano', false],
      ['https://www.pumpwise.example/bublo-50?ref=list', false],
      ['https://noise.example/table', false],
      ['https://decibel.example/24', true],
      ['https://print.example/pumps', true],
      ['https://forum.example/t/humming-pumps', true],
    ]);
  });

  it('say who wrote what when', async () => {
    const { sources } = await extracted('web-cited.sse');
    expect(sources[0]).toEqual({
      position: 1,
      url: 'https://tankhush.example/reviews/airpipe-nano',
      label: 'Tank Hush',
      description: 'We measured 24 dB at half a metre.',
      footnote: false,
      datePublished: '2026-03-05T00:00:00.000Z',
    });
    expect(sources[1]).toEqual({ position: 2, url: 'https://www.pumpwise.example/bublo-50?ref=list', label: 'Bublo 50', footnote: false });
    expect((await extracted('web-shopping.sse')).sources.map(({ datePublished }) => datePublished)).toEqual(['2026-03-05T00:00:00.000Z', undefined]);
  });

  it('have a pill for each mark, which tells its kind', async () => {
    expect(((await extracted('web-cited.sse')).citationPills ?? []).map(({ position, type }) => [position, type])).toEqual([
      [1, 'grouped_webpages'],
      [1, 'grouped_webpages'],
      [2, 'grouped_webpages_model_predicted_fallback'],
    ]);
  });

  it('are missing for a mark that nothing explains, which quality tells', async () => {
    const engine = chatgptEngine.create(chatgptEngine.settings.parse({}));
    const { quality } = await engine.extract([{ name: 'x', text: read('web-conversation.json') }], {});
    expect(quality.checks).toContainEqual({ id: 'citations_resolve', status: 'failed', detail: '1 without a source' });
  });

  it('of a mark that stands twice with one reference are the same', async () => {
    const mark = '\uE200cite\uE202turn0search0\uE201';
    const items = [{ url: 'https://a.example', title: 'A' }];
    const metadata = { content_references: [{ type: 'grouped_webpages', matched_text: mark, items }] };
    const [part] = (await readChatgptWeb([assistant({ content: { content_type: 'text', parts: [`One. ${mark} Two. ${mark}`] }, metadata })])).parts;
    expect(part?.text).toBe('One. ([A](https://a.example)) Two. ([A](https://a.example))');
    expect(part?.citations.map(({ url }) => url)).toEqual(['https://a.example', 'https://a.example']);
  });
});

it.each([
  ['web-cited.sse', ['quietest aquarium air pump', 'leiseste Membranpumpe Aquarium dB']],
  ['web-conversation.json', ['quiet "nano" pump', 'pump dB']],
  ['web-messages.json', ['quiet pump', 'pump dB']],
])('search queries are listed by the tool or written by the model: %s', async (file, queries) => {
  expect((await extracted(file)).searchQueries).toEqual(queries);
});

it.each([
  ['web-cited.sse', 'gpt-5-2'],
  ['web-messages.json', 'gpt-5-2-instant'],
  ['web-conversation.json', 'gpt-5-2'],
])('the model is named by the message or the conversation: %s', async (file, model) => {
  expect((await extracted(file)).model).toBe(model);
});

describe('products, businesses, entities and advertisements', () => {
  const { shoppingCards = [], inlineProducts = [], map, entities, ads } = shopping;

  it('are cards with the tags of their mark; a product without a name is none', () => {
    expect(shoppingCards.map(({ tags, products }) => [tags, products.map(({ title, position }) => [title, position])])).toEqual([
      [
        ['Quietest', 'Under €20'],
        [
          ['Airpipe Nano', 1],
          ['Bublo 50', 2],
        ],
      ],
    ]);
  });

  it('are products with the offers that were fetched for them later', () => {
    const offer = { merchant_name: 'Shop Example', price: '€24.90', available: true, price_details: { total: '€27.90' }, tag: { text: 'Best price' } };
    expect(shoppingCards[0]?.products[0]).toMatchObject({ title: 'Airpipe Nano', merchant: 'Shop Example + others', offers: [offer] });
    expect(inlineProducts[0]?.product).toMatchObject({ title: 'Airpipe Nano', price: '€24.90', offers: [offer] });
  });

  it('are products that stand alone, with reasons and reviews', () => {
    expect(inlineProducts).toHaveLength(1);
    expect(inlineProducts[0]).toMatchObject({
      render_as: 'hero',
      details: { rationale: { rationale: 'The quietest in tests.' }, reviews: { reviews: [{ source: 'The Fish Forum', num_reviews: 3 }] } },
    });
  });

  it('are places, or only their names where the app knows no more', () => {
    expect(map).toEqual([
      expect.objectContaining({
        position: 1,
        name: 'Fin & Co',
        address: 'Elbe Road 1, Hamburg',
        latitude: 53.5,
        longitude: 10,
        categories: ['Aquarium shops'],
      }),
      { position: 2, name: 'Aqua Nord', address: 'Kiel', description: 'Pumps and plants', websiteUrl: 'https://nord.example' },
    ]);
  });

  it('are entities, each once', () => expect(entities).toEqual([{ type: 'city', name: 'Hamburg' }]));

  it('are advertisements of one brand or several', () => {
    expect(ads).toEqual([
      {
        brand: { name: 'Fairgoods', url: 'fairgoods.example', favicon: 'https://cdn.example/f.png' },
        cards: [{ title: 'Quiet pumps', body: 'From €19.', url: 'https://fairgoods.example/?x=1', image: 'https://cdn.example/p.png' }],
      },
      { brand: { name: 'Depot' }, cards: [] },
    ]);
  });

  it('come only when asked for, map and entities always, ads as an empty list when there are none', async () => {
    const few = await extracted('web-shopping.sse', { shopping: false, ads: false });
    expect(Object.keys(few)).toEqual(expect.arrayContaining(['map', 'entities']));
    for (const key of ['shoppingCards', 'inlineProducts', 'ads']) expect(few).not.toHaveProperty(key);
    expect(await extracted('web-cited.sse')).toMatchObject({ ads: [] });
    expect(await extracted('web-cited.sse')).not.toHaveProperty('shoppingCards');
  });
});

describe('the raw events of the web app', () => {
  const events = cited.rawResponse!;
  const pieces = (list: typeof events) =>
    list.flatMap((event) => (event.type === 'message_delta' ? [(event as any).delta.content[0].text_delta] : [])).join('');

  it('tell the answer’s start, text and end in the interface’s form', () => {
    expect(events[0]).toEqual({ type: 'resume_conversation_token', conversation_id: 'conv_1', token: 'tok_1' });
    expect(events).toContainEqual({ type: 'message_start', message: { id: 'm4', role: 'assistant', model: 'gpt-5-2' } });
    expect(events.filter(({ type }) => type === 'message_stop')).toEqual([{ type: 'message_stop', reason: 'stop' }]);
    expect(pieces(events)).toMatch(/^For a bedroom tank 🐟 the .*a table of noise levels\uE202turn0search5\uE201\.$/s);
  });

  it('hold everything else as it came, also what no reader knows', async () => {
    expect(events.map(({ type }) => type)).toEqual(expect.arrayContaining(['message_marker', 'title_generation', 'message_stream_complete', 'delta']));
    // A later patch of the same message changes nothing of it.
    expect(events.find(({ v }) => (v as any)?.message?.id === 'm3')).toMatchObject({ v: { message: { metadata: { search_result_groups: [] } } } });
    expect(await eventsOf({ type: 'brand_new', x: 1 }, { y: 2 })).toEqual([
      { type: 'brand_new', x: 1 },
      { type: 'unknown', y: 2 },
    ]);
  });

  it('hold the product updates only when products are asked for', async () => {
    const types = async (shopping: boolean) => (await extracted('web-shopping.sse', { shopping })).rawResponse!.map(({ type }) => type);
    expect(await types(true)).toContain('product_update');
    expect(await types(false)).not.toContain('product_update');
  });

  it('have no stop when the stream broke off, and the reason when it was cut short', async () => {
    expect((await extracted('web-broken-off.sse')).rawResponse!.some(({ type }) => type === 'message_stop')).toBe(false);
    expect((await extracted('web-cut-short.sse')).rawResponse).toContainEqual({ type: 'message_stop', reason: 'max_tokens' });
  });

  it('tell only what is new of a message that is sent whole again and again', async () => {
    const whole = (...parts: string[]) => ({ message: assistant({ content: { content_type: 'text', parts } }) });
    expect((await eventsOf({ type: 'x' }, whole('Ye'), whole('Yes, '), whole('Yes, so.'))).slice(1)).toEqual([
      { type: 'message_start', message: { id: 'a', role: 'assistant', model: undefined } },
      ...['Ye', 's, ', 'so.'].map((text_delta) => ({ type: 'message_delta', delta: { content: [{ type: 'output_text_delta', text_delta }] } })),
    ]);
  });
});

describe('a stream', () => {
  it.each([
    ['web-cited.sse', true],
    ['web-messages.json', true],
    ['web-broken-off.sse', false],
    ['web-cut-short.sse', false],
    ['web-handed-off.sse', false],
  ])('%s is complete: %s', async (file, complete) => {
    expect((await readChatgptWeb(await payloadsIn(file))).complete).toBe(complete);
  });

  it('is recognised, an answer of the API is not', async () => {
    for (const file of ['web-cited.sse', 'web-cut-short.sse', 'web-conversation.json', 'web-messages.json', 'web-unusual-activity.json']) {
      expect([file, (await payloadsIn(file)).some(isChatgptWeb)]).toEqual([file, true]);
    }
    for (const file of ['cited.sse', 'cited.json', 'bad-key.json', 'failed-in-stream.sse']) {
      expect([file, (await payloadsIn(file)).some(isChatgptWeb)]).toEqual([file, false]);
    }
  });
});
