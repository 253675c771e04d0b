import { createHash } from 'node:crypto';
import type { Content, Passage, Source } from './content.js';
import { escaped } from './google-page.js';

// What Google's model writes, in the markup of 2026: the answer in one column, its sources in the other, and notes in
// comments that say which mark of the text cites which source.

/** Text and sources of an answer. `cards` stand between the two. */
export function answerHtml(content: Content, cards = ''): string {
  const marks = [content.intro, ...content.points, content.outro].flatMap(({ cites }, passage) =>
    cites.slice(0, 1).map((index) => ({ id: markId(content, passage), index })),
  );
  const paragraph = (passage: Passage, index: number) => `<div class="Y3BBE" data-sfc-cp="">${passageHtml(passage, markId(content, index))}</div>`;
  const points = content.points
    .map((point, index) => `<li><span class="T286Pc" data-sfc-cp="">${passageHtml(point, markId(content, index + 1))}</span></li>`)
    .join('');
  const body = `${paragraph(content.intro, 0)}<ul>${points}</ul>${paragraph(content.outro, content.points.length + 1)}`;
  const notes = marks.map(({ id, index }) => note(id, content.sources[index]!, index)).join('');
  const sources = `<ul>${content.sources.slice(0, 5).map(sourceCard).join('')}</ul>`;
  return `<div data-scope-id="turn"><div data-subtree="aimc"><div data-container-id="main-col" data-xid="VpUvz">${body}${cards}${notes}</div><div data-container-id="rhs-col">${sources}<div aria-label="Show all related links" role="button"><span>Show all</span></div></div></div></div>`;
}

const passageHtml = ({ lead, text, cites }: Passage, mark: string): string =>
  `<strong>${escaped(lead)}</strong>: ${escaped(text)}${cites.length ? `<span class="uJ19be notranslate"><span aria-hidden="true">&nbsp;</span><button data-icl-uuid="${mark}" aria-label="View related links"></button></span>` : ''}`;

/** The same id for the same passage every time. */
function markId({ topic, place, sources }: Content, passage: number): string {
  const hex = createHash('sha256')
    .update(JSON.stringify([topic, place, sources[0]?.url, passage]))
    .digest('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20, 32)].join('-');
}

const note = (mark: string, { title, snippet, domain, site, url }: Source, index: number): string =>
  `<div style="display:none" data-crb-el="Hrp5ac"><!--Sv6Kpe${escaped(JSON.stringify([[mark, [title, snippet, `https://icons.example/${domain}`, `https://${domain}`, [site], url, null, null, String(index + 1)]]]))}--></div>`;

const sourceCard = ({ title, snippet, site, url }: Source, index: number): string =>
  `<li><div data-src-id="${index + 1}" data-crb-el="kXllB"><a aria-label="${escaped(title)}. Opens in new tab." href="${escaped(url)}"></a><div><div class="Nn35F">${escaped(title)}</div><span class="vhJ6Pe">${escaped(snippet)}</span><div><span class="R0r5R">${escaped(site)}</span></div></div></div></li>`;

/** A row of cards inside an answer. */
const row = (cards: string[]): string => (cards.length ? `<div role="list">${cards.map((card) => `<div role="listitem">${card}</div>`).join('')}</div>` : '');

/** Videos, each with its length, platform, channel and age. */
export const videoCards = ({ sources }: Content): string =>
  row(
    sources
      .slice(0, 3)
      .map(
        ({ url, title, site }, index) =>
          `<div aria-hidden="true"><img src="https://pictures.example/video-${index + 1}.jpg" alt=""><span>${index + 1}:0${index + 4}</span></div><a href="${escaped(url)}&amp;v=${index + 1}"><div aria-level="3" role="heading"><span>${escaped(title)}</span></div></a><div><div>YouTube</div><div>${escaped(site)} · ${index + 1}mo</div></div>`,
      ),
  );

/** Places, each with a link to the map. */
export const placeCards = ({ sources, topic, place }: Content): string =>
  row(
    sources
      .slice(0, 2)
      .map(
        ({ site, url }, index) =>
          `<a href="${escaped(url)}"><div aria-level="3" role="heading">${escaped(site)} Store</div></a><div><span>4.${index + 5}</span><span>(${index + 1}21)</span></div><div>Shop for ${escaped(topic.slice(0, 30))}</div><div>${index + 12} Main Street, ${escaped(place)}</div><a href="https://www.google.com/maps/place/${encodeURIComponent(site)}/@48.${index + 1}3,11.5${index + 1},17z">Directions</a>`,
      ),
  );

/** Products that nobody paid for. */
export const productCards = ({ points, sources }: Content, price: (amount: number) => string): string =>
  row(
    points.map(
      ({ lead }, index) =>
        `<a href="${escaped(sources[index]!.url)}&amp;buy=1"><div aria-level="3" role="heading">${escaped(lead.replace(/^.*: /, ''))}</div></a><img src="https://pictures.example/product-${index + 1}.jpg" alt=""><span>${price(49 + 30 * index)}</span><div>${escaped(sources[index]!.site)}</div><span>4.${index + 3}</span><span>(${index + 2}10)</span>`,
    ),
  );

/** A paid product, which leads by way of Google's counter. */
export const paidCards = ({ points, sources }: Content, price: (amount: number) => string): string =>
  row(
    points
      .slice(0, 1)
      .map(
        ({ lead }) =>
          `<a style="display:none" href="https://www.google.com/aclk?sa=l&amp;ai=sandbox"></a><a data-rw="https://www.google.com/aclk?sa=l" href="${escaped(sources[0]!.url)}&amp;ad=1"><div aria-level="3" role="heading">${escaped(lead.replace(/^.*: /, ''))} Sale</div></a><span>${price(39)}</span><div>${escaped(sources[0]!.site)}</div>`,
      ),
  );

/** How prices are written in a country. */
export function priceIn(country: string): (amount: number) => string {
  const currency =
    { US: 'USD', GB: 'GBP', JP: 'JPY', BR: 'BRL', CH: 'CHF', SE: 'SEK', PL: 'PLN', IN: 'INR', AU: 'AUD', CA: 'CAD', MX: 'MXN' }[country] ?? 'EUR';
  const format = new Intl.NumberFormat(`${new Intl.Locale(`und-${country}`).maximize().language}-${country}`, { style: 'currency', currency });
  return (amount) => escaped(format.format(amount + 0.99));
}
