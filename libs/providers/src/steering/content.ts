import { createHash } from 'node:crypto';

/** What a stand-in has to say about a prompt, before a provider's format clothes it. */
export interface Content {
  /** The question as far as it can be repeated inside Markdown and HTML without harm. */
  topic: string;
  /** The country's English name. */
  place: string;
  intro: Passage;
  points: Passage[];
  outro: Passage;
  /** What was found; those that no passage cites are there too. */
  sources: Source[];
  queries: string[];
  followUps: string[];
}

export interface Passage {
  /** The words that stand out at its beginning. */
  lead: string;
  text: string;
  /** Indexes of the sources it rests on. */
  cites: number[];
}

export interface Source {
  url: string;
  /** The host without `www.`. */
  domain: string;
  site: string;
  title: string;
  snippet: string;
  /** A day, `YYYY-MM-DD`. */
  date: string;
}

const SITES = [
  'Daily Compass',
  'Open Review',
  'Market Lens',
  'Field Notes',
  'Plain Facts',
  'Home Ledger',
  'Civic Post',
  'Test Bench',
  'Good Measure',
  'North Gazette',
];
const PRODUCTS = ['Albatros', 'Boreal', 'Cinder', 'Dorado', 'Ember', 'Falken', 'Garnet', 'Heron', 'Isola', 'Juniper'];
const MERITS = [
  'is the one most testers keep',
  'lasts longest in daily use',
  'costs the least to run',
  'is the easiest to find in shops',
  'has the best warranty',
];
const CAVEATS = ['prices change from week to week', 'stock is short before the holidays', 'imports carry a surcharge', 'older models are still on sale'];

/** What is said to a prompt in a country: always the same to the same, and something else in another country. */
export function contentOf(asked: { text: string; country: string; nonce?: string | undefined }): Content {
  const roll = dice(asked.text, asked.country, asked.nonce ?? '');
  const place = placeOf(asked.country);
  const topic = harmless(asked.text) || 'this question';
  const mark = asked.nonce ? ` (${asked.nonce})` : '';
  const [first, second, third] = pick(PRODUCTS, 3, roll);
  const points = [`Best overall: ${first} ${roll(90) + 10}`, `Best value: ${second} ${roll(90) + 10}`, `For travelling: ${third} ${roll(90) + 10}`];

  return {
    topic,
    place,
    intro: { lead: `In ${place}`, text: `the tests that compare answers to “${topic}” agree in ${roll(5) + 3} of ${roll(4) + 8} cases${mark}.`, cites: [0] },
    points: points.map((lead, index) => ({
      lead,
      text: `${pick(MERITS, 1, roll)[0]}, say ${roll(60) + 40} % of the buyers asked in ${place}.`,
      cites: index === 1 ? [2, 0] : [index + 1],
    })),
    outro: { lead: 'Before you decide', text: `note that in ${place} ${pick(CAVEATS, 1, roll)[0]}.`, cites: [4] },
    sources: pick(SITES, 7, roll).map((site, index) => sourceOf(site, { topic, place, ...asked, roll, index })),
    queries: [`${topic} ${place}${asked.nonce ? ` ${asked.nonce}` : ''}`, `${topic} test ${place} 2026`, `${topic} prices ${place}`],
    followUps: [`What do buyers in ${place} regret?`, `How much should it cost in ${place}?`, 'Which mistakes are common?'],
  };
}

/** The name of a country; upstreams take whatever text stands in its place, so that comes back as it is. */
const placeOf = (country: string): string =>
  /^[A-Z]{2}$/i.test(country) ? (new Intl.DisplayNames(['en'], { type: 'region' }).of(country.toUpperCase()) ?? country) : harmless(country);

interface SourceOptions {
  topic: string;
  place: string;
  country: string;
  nonce?: string | undefined;
  roll: Roll;
  index: number;
}

function sourceOf(site: string, { topic, place, country, nonce, roll, index }: SourceOptions): Source {
  const domain = `${site.toLowerCase().replace(' ', '-')}.example`;
  const slug =
    topic
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, '-')
      .replace(/^-|-$/g, '')
      .slice(0, 40) || 'answer';
  return {
    url: `https://${index % 2 ? '' : 'www.'}${domain}/${country.toLowerCase()}/${slug}-${nonce ?? roll(100_000)}?id=${index + 1}`,
    domain,
    site,
    title: `${topic.slice(0, 60)} – ${site} ${place}`,
    snippet: `${site} asked ${roll(900) + 100} people in ${place} and compared what they said.`,
    date: `2026-${String(roll(12) + 1).padStart(2, '0')}-${String(roll(28) + 1).padStart(2, '0')}`,
  };
}

/** Letters, digits and quiet punctuation only: nothing that Markdown, HTML or a counter of characters could trip over. */
const harmless = (text: string) =>
  text
    .replace(/[^\p{L}\p{M}\p{N} .,?!'-]|[\u{10000}-\u{10FFFF}]/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 80)
    .trim();

/** A whole number from 0 up to, but not, `below`. */
export type Roll = (below: number) => number;

/** Numbers that look random and are the same every time for the same words (mulberry32 on their hash). */
export function dice(...words: string[]): Roll {
  let state = createHash('sha256').update(JSON.stringify(words)).digest().readUInt32LE();
  return (below) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296) * below);
  };
}

/** So many different ones out of a list, in an order of chance. */
export function pick<Entry>(list: readonly Entry[], count: number, roll: Roll): Entry[] {
  const rest = [...list];
  return Array.from({ length: count }, () => rest.splice(roll(rest.length), 1)).flat();
}
