import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addressKey, cleanAddress, domainOf, linkAddress } from './answer/addresses.js';
import type { EngineModule } from './engine.js';

/** An answer as somebody meant it, before it is written in the form of an upstream. */
export interface MeantAnswer {
  blocks: Block[];
  /** What the search found. An address may stand here in several spellings, and not all are cited. */
  pages: MeantPage[];
}

interface Block {
  kind: 'paragraph' | 'heading' | 'quote' | 'bullets' | 'numbers' | 'table' | 'code';
  /** Of a table two to a row, of a list one to an item; otherwise they follow one another. */
  sentences: Sentence[];
}

interface Sentence {
  words: string;
  style: 'plain' | 'bold' | 'slanted' | 'code' | 'link';
  /** Whether a blank stands before each mark, and before the next sentence. */
  spaced: boolean;
  /** Indexes of the pages that are cited after it. */
  cites: number[];
}

export interface MeantPage {
  url: string;
  title: string | undefined;
}

/** A citation where it stands in the text: `start` and `end` are those of its mark, `since` is where its sentence begins. */
export interface Place {
  index: number;
  page: MeantPage;
  since: number;
  start: number;
  end: number;
}

interface Exercise {
  format: string;
  /** The answer in the upstream's form. */
  write(answer: MeantAnswer): string;
  /** The Markdown of the result: by default its marks are numbered links. */
  markdown?(answer: MeantAnswer): string;
  /** False where the interface has none. */
  pills?: boolean;
  /** True where a blank stands before every mark. */
  spaced?: boolean;
  /** False where the upstream tells of what is cited alone. */
  tellsUncited?: boolean;
}

/** Citation integrity: what holds for every answer in every script, whatever its form. A failure prints its seed. */
export function exerciseCitations(module: EngineModule<any, any, any>, exercise: Exercise): void {
  const { format, write, markdown = withNumberedLinks, pills = true, tellsUncited = true } = exercise;
  const engine = module.create(module.settings.parse({}));

  it(`${format}: every mark resolves, in the text, the pills and the Markdown alike, in any script`, async () => {
    await fc.assert(
      fc.asyncProperty(meantAnswer(exercise.spaced), async (answer) => {
        const { result, quality } = await engine.extract([{ name: format, text: write(answer) }], { format });
        const cited = citationsIn(answer).map(({ url }) => addressKey(url));
        const found = [...new Set([...cited, ...(tellsUncited ? answer.pages.map(({ url }) => addressKey(url)) : [])])];

        expect(linesOf(result.text)).toEqual(wordsOf(answer));
        expect(result.markdown.trim()).toBe(markdown(answer));
        expect(result.sources.map(({ url }: { url: string }) => addressKey(url))).toEqual(found);
        expect(result.sources.map(({ position }: { position: number }) => position)).toEqual(found.map((_, index) => index + 1));
        if (pills) {
          const given = (result.citationPills ?? []) as { citationPillId: number; position: number; url: string }[];
          expect(given.map(({ url }) => addressKey(url))).toEqual(cited);
          expect(given.map(({ citationPillId }) => citationPillId)).toEqual(cited.map((_, index) => index + 1));
          for (const { position, url } of given) expect(result.sources[position - 1].url).toBe(url);
        }
        expect(quality.checks.find(({ id }) => id === 'citations_resolve')?.status).toBe(cited.length ? 'ok' : 'not_applicable');
      }),
      { numRuns: RUNS },
    );
  });
}

const RUNS = 60;

/** An answer's Markdown with marks as `mark` writes them, and where they stand. */
export function composed({ blocks, pages }: MeantAnswer, mark: (page: MeantPage, index: number) => string): { text: string; places: Place[] } {
  const places: Place[] = [];
  let text = '';
  const write = (sentence: Sentence) => {
    const since = text.length;
    text += styled(sentence);
    for (const index of sentence.cites) {
      const page = pages[index]!;
      const written = mark(page, index);
      if (written && sentence.spaced) text += ' ';
      const start = text.length;
      text += written;
      places.push({ index, page, since, start, end: text.length });
    }
  };
  for (const [index, { kind, sentences }] of blocks.entries()) {
    text += index ? '\n\n' : '';
    if (kind === 'table') text += '| A | B |\n|---|---|\n';
    for (const [nth, sentence] of sentences.entries()) {
      text += lead(kind, nth, sentences[nth - 1]);
      write(sentence);
      if (kind === 'table') text += nth % 2 ? ' |' : '';
    }
    if (kind === 'code') text += '\n```';
  }
  return { text, places };
}

/** What stands before the nth sentence of a block. */
function lead(kind: Block['kind'], nth: number, before: Sentence | undefined): string {
  if (kind === 'table') return nth % 2 ? ' | ' : `${nth ? '\n' : ''}| `;
  if (kind === 'bullets') return `${nth ? '\n' : ''}${nth % 3 === 2 ? '  ' : ''}- `;
  if (kind === 'numbers') return `${nth ? '\n' : ''}${nth + 1}. `;
  if (nth) return before?.spaced ? ' ' : '';
  return { paragraph: '', heading: '## ', quote: '> ', code: '```\n' }[kind];
}

function styled({ words, style }: Sentence): string {
  return { plain: words, bold: `**${words}**`, slanted: `*${words}*`, code: `\`${words}[1]\``, link: `[${words}](https://prose.example/a_(b))` }[style];
}

const citationsIn = ({ blocks, pages }: MeantAnswer): MeantPage[] =>
  blocks.flatMap(({ sentences }) => sentences.flatMap(({ cites }) => cites.map((index) => pages[index]!)));

/** Marks as links that have their source's number; behind an exclamation mark they are no pictures. */
export function withNumberedLinks(answer: MeantAnswer, brackets: (number: number) => string = (number) => `[${number}]`): string {
  const links = new Map<string, string>();
  for (const { url } of citationsIn(answer)) {
    const link = `${brackets(links.size + 1)}(${linkAddress(cleanAddress(url))})`;
    if (!links.has(addressKey(url))) links.set(addressKey(url), link);
  }
  return composed(answer, ({ url }) => links.get(addressKey(url))!).text.replace(/!(?=\[{1,2}\d+\]{1,2}\()/g, '! ');
}

/** The lines of the words alone. */
function wordsOf({ blocks }: MeantAnswer): string[] {
  const plain = ({ words, style }: Sentence) => (style === 'code' ? `${words}[1]` : words);
  return blocks.flatMap(({ kind, sentences }) => {
    if (kind === 'table') return ['A\tB', ...sentences.flatMap((left, nth) => (nth % 2 ? [] : [`${plain(left)}\t${plain(sentences[nth + 1]!)}`]))];
    if (kind === 'bullets') return sentences.map(plain);
    if (kind === 'numbers') return sentences.map((sentence, nth) => `${nth + 1}. ${plain(sentence)}`);
    return [sentences.map((sentence, nth) => (nth && sentences[nth - 1]!.spaced ? ' ' : '') + plain(sentence)).join('')];
  });
}

const linesOf = (text: string): string[] => text.split(/\n+/);

// ------------------------------------------------------------------------------------------------ forms that several upstreams share

/** An answer of the Responses API as its stream. */
export function writeResponses(answer: MeantAnswer, { mark, annotation }: ResponsesForm): string {
  const { text, places } = composed(answer, mark);
  const action = { type: 'search', query: 'pump', sources: answer.pages.map(({ url }) => ({ type: 'url', url })) };
  const annotations = places.map((place) => ({ type: 'url_citation', url: place.page.url, ...annotation(place) }));
  const events = [
    { type: 'response.created', response: { id: 'r', model: 'm', status: 'in_progress', output: [] } },
    { type: 'response.output_item.done', output_index: 0, item: { type: 'web_search_call', action } },
    ...(text.match(/.{1,9}/gsu) ?? []).map((delta) => ({ type: 'response.output_text.delta', output_index: 1, content_index: 0, delta })),
    ...annotations.map((annotation) => ({ type: 'response.output_text.annotation.added', output_index: 1, content_index: 0, annotation })),
    { type: 'response.completed', response: { id: 'r', model: 'm', status: 'completed', output: [] } },
  ];
  return events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join('');
}

interface ResponsesForm {
  mark(page: MeantPage, index: number): string;
  annotation(place: Place): object;
}

/** How OpenAI marks a citation, in the text and beside it. */
export const siteMark = ({ url }: MeantPage): string => `([${domainOf(url)}](${url}))`;
export const siteAnnotation = ({ page: { title }, start, end }: Place) => ({ title, start_index: start, end_index: end });

// ------------------------------------------------------------------------------------------------ generated answers

const between = (first: number, last: number) => fc.integer({ min: first, max: last }).map((point) => String.fromCodePoint(point));
const EMOJI = ['👩‍🔬', '🇩🇪', '👍🏽', '🐟', '❤️', '1️⃣', '🏴󠁧󠁢󠁥󠁮󠁧󠁿', '©️'];
const MARKS = between(0x0300, 0x036f);

/** Letters of each script with what ends its sentences. */
const SCRIPTS: [letter: fc.Arbitrary<string>, stops: string[]][] = [
  [between(0x61, 0x7a), ['.', '!', '…']],
  [fc.tuple(between(0x61, 0x7a), fc.array(MARKS, { maxLength: 3 })).map(([letter, marks]) => letter + marks.join('')), ['.', '?']],
  [between(0x0430, 0x044f), ['.', '!']],
  [between(0x03b1, 0x03c9), ['.', ';']],
  [between(0x05d0, 0x05ea), ['.', '\u200f.']],
  [fc.oneof(between(0x0627, 0x063a), between(0x064b, 0x0652)), ['؟', '.', '\u200f.']],
  [fc.oneof(between(0x0905, 0x0939), between(0x093e, 0x094d)), ['।', '?']],
  [between(0x0e01, 0x0e3a), ['', '.']],
  [fc.oneof(between(0x3042, 0x3093), between(0x30a2, 0x30f3), between(0x4e00, 0x9fa5), between(0x20000, 0x20020)), ['。', '！', '」', '']],
  [between(0xac00, 0xd7a3), ['.', '다']],
  [fc.constantFrom(...EMOJI), ['', '!']],
];

const sentence = (spaced: boolean | undefined, pages: number): fc.Arbitrary<Sentence> =>
  fc.constantFrom(...SCRIPTS).chain(([letter, stops]) =>
    fc.record({
      words: fc
        .tuple(fc.array(fc.array(letter, { minLength: 1, maxLength: 5 }), { minLength: 1, maxLength: 4 }), fc.constantFrom(...stops))
        .map(([words, stop]) => words.map((letters) => letters.join('')).join(' ') + stop),
      style: fc.constantFrom('plain', 'plain', 'plain', 'bold', 'slanted', 'code', 'link'),
      spaced: spaced === undefined ? fc.boolean() : fc.constant(spaced),
      cites: fc.array(fc.nat({ max: pages - 1 }), { maxLength: 3 }),
    }),
  );

const block = (spaced: boolean | undefined, pages: number): fc.Arbitrary<Block> =>
  fc
    .record({
      kind: fc.constantFrom('paragraph', 'paragraph', 'heading', 'quote', 'bullets', 'numbers', 'table', 'code'),
      sentences: fc.array(sentence(spaced, pages), { minLength: 2, maxLength: 4 }),
    })
    .map(({ kind, sentences }) => {
      if (kind === 'code') return { kind, sentences: [{ ...sentences[0]!, words: 'list[2] * 3', style: 'plain', cites: [] }] };
      return { kind, sentences: (kind === 'table' ? sentences.slice(0, sentences.length & ~1) : sentences).map(apart) };
    });

/** A sentence whose own signs, or those of the next one, would mean something else without a blank between. */
function apart(sentence: Sentence, nth: number, all: Sentence[]): Sentence {
  const next = all[nth + 1]?.style;
  const touches = ['slanted', 'code'].includes(sentence.style) || next === 'slanted' || (sentence.style === 'bold' && next === 'bold');
  return touches || (sentence.words.endsWith('!') && next === 'link') ? { ...sentence, spaced: true } : sentence;
}

/** Addresses that are one page, and such as break links that are not written with care. */
const address: fc.Arbitrary<string> = fc
  .record({
    host: fc.constantFrom('a.example', 'www.a.example', 'news.b.example', 'пример.example', '例え.example'),
    path: fc.constantFrom('', '/', '/x', '/x/', '/x_(y)', '/(z', '/%E3%81%82', '/あ', '/путь', '/a%20b'),
    query: fc.constantFrom('', '?id=1', '?id=1&utm_source=openai', '?utm_source=chatgpt.com', '?q=ü', '?q=a+b'),
    fragment: fc.constantFrom('', '', '#part', '#:~:text=some%20words'),
  })
  .map(({ host, path, query, fragment }) => `https://${host}${path || (query && '/')}${query}${fragment}`);

const meantAnswer = (spaced?: boolean): fc.Arbitrary<MeantAnswer> =>
  fc
    .array(fc.record({ url: address, title: fc.constantFrom('A title', 'One [two', 'عنوان', '題名', '7', undefined) }), { minLength: 1, maxLength: 8 })
    .chain((pages) => fc.record({ blocks: fc.array(block(spaced, pages.length), { minLength: 1, maxLength: 5 }), pages: fc.constant(pages) }));
