import type { Sandbox, SandboxNote } from '../sandbox.js';
import { contentOf, type Content, type Source } from '../steering/content.js';
import { answerHtml, paidCards, priceIn, videoCards } from '../steering/google-answer.js';
import { escaped, later, noteSearch, nothingFound, obstacle, pageReply, resultsPage, scriptText } from '../steering/google-page.js';
import type { Steering } from '../steering/steering.js';

/** Stands in for Google Search: pages of results as a browser gets them, on desktop and mobile, and what comes in their place. */
export const googleSandbox: Sandbox = {
  note: noteSearch,

  async answer(_call, note, steering) {
    const trouble = obstacle(note, steering);
    if (trouble) return trouble;
    if (steering.empty) return pageReply(resultsPage({ note }), steering);
    if (steering.words.has('noresults')) return pageReply(resultsPage({ note, message: nothingFound(note) }), steering);
    return pageReply(resultsPage({ note, ...compose(note, steering), paddingBytes: steering.largeBytes }), steering);
  },
};

function compose(note: SandboxNote, { text, nonce, words }: Steering): { head: string; results: string; foot: string } {
  const { country = 'US', page = 1 } = note;
  const content = contentOf({ text: page > 1 ? `${text} page ${page}` : text, country, nonce });
  const price = priceIn(country);
  const overview =
    page === 1 && !words.has('noaio')
      ? overviewHtml(content, {
          isDeferred: words.has('aio'),
          cards: `${words.has('videos') ? videoCards(content) : ''}${words.has('ads') ? paidCards(content, price) : ''}`,
        })
      : '';
  const parts = [
    ...content.sources.map((source, index) => resultHtml(source, { note, withSitelinks: index === 0 })),
    words.has('paa') ? questionsHtml(content, note) : '',
    words.has('news') ? topStoriesHtml(content) : '',
    words.has('places') ? placesHtml(content) : '',
    words.has('videos') ? videosHtml(content) : '',
  ];
  const [first, ...others] = parts;
  return {
    head: `${words.has('ads') ? adsHtml(content, { id: 'tads', note, price }) : ''}${words.has('shopping') ? sponsoredHtml(content, price) : ''}${overview}`,
    results: [first, words.has('shopping') ? gridHtml(content, price) : '', ...others].join(''),
    foot: `${relatedHtml(content)}${words.has('ads') ? `<div id="bottomads">${adsHtml(content, { id: 'tadsb', note, price })}</div>` : ''}`,
  };
}

const siteLink = ({ url }: Source, path: string): string => `${new URL(url).origin}/${path}`;

function resultHtml(source: Source, { note, withSitelinks }: { note: SandboxNote; withSitelinks: boolean }): string {
  const { url, site, title, snippet, date, domain } = source;
  const address = `https://${domain}`;
  const link = escaped(note.page && note.page > 1 ? `${url}&page=${note.page}` : url);
  const titled =
    note.device === 'mobile'
      ? `<a href="${link}" role="presentation"><div><span>${escaped(site)}</span><span role="text">${address} › ${note.country?.toLowerCase()}</span></div><div aria-level="3" role="heading"><div role="link">${escaped(title)}</div></div></a>`
      : `<a jsname="UWckNb" href="${link}"><h3 class="LC20lb">${escaped(title)}</h3><div><span class="VuuXrf">${escaped(site)}</span><div><cite role="text">${address}<span role="text"> › ${note.country?.toLowerCase()}</span></cite></div></div></a>`;
  const sitelinks = withSitelinks
    ? `<div data-sncf="2" data-snf="gdePb"><a href="${siteLink(source, 'tests')}">Tests</a><span> · </span><a href="${siteLink(source, 'guides')}">Guides</a></div>`
    : '';
  return `<div class="MjjYud"><div data-snc="sandbox"><div data-snf="x5WNvb" data-snhf="0">${titled}</div><div data-snf="nke7rc" data-sncf="1"><div class="VwiC3b"><span class="YrbPuc"><span>${date}</span> — </span><span>${escaped(snippet)}</span></div></div>${sitelinks}</div></div>`;
}

/** An overview that is written later shows a bar until a script puts it in; a click opens the rest of it. */
function overviewHtml(content: Content, { isDeferred, cards }: { isDeferred: boolean; cards: string }): string {
  const head =
    '<div jsname="txosbe"><span style="display:none"><span>An AI Overview is not available for this search</span></span><div aria-level="2" role="heading">AI Overview</div></div>';
  const body = `<div jsname="dvXlsc" id="aio-body">${answerHtml(content, cards)}</div>`;
  const fold = `<div role="button" aria-expanded="false" aria-controls="m-x-content" onclick="this.setAttribute('aria-expanded','true')"><span>Show more</span></div>`;
  const place = (inside: string) =>
    `<div jsname="ZLxsqf" id="eKIzJc"><div data-mcpr=""><h1>AI Overview</h1><div data-mcpr="" data-subtree="mfc"><div id="m-x-content">${head}${inside}</div></div></div></div>`;
  if (!isDeferred) return place(body + fold);
  return `${place('<div id="aio-wait" aria-valuetext="Generating" role="progressbar">Searching</div>')}${later('aio-wait', body + fold)}`;
}

/** Two questions: a page answers the one, Google's model the other. Both answers come on a click. */
function questionsHtml(content: Content, note: SandboxNote): string {
  const [first, second, third] = content.followUps.map((question) => `${question}${note.page && note.page > 1 ? ` (${note.page})` : ''}`);
  const { title, url, snippet } = content.sources[1]!;
  const cited = `<div><span>${escaped(snippet)}</span></div><div><a href="${escaped(url)}"><h3>${escaped(title)}</h3><cite>${escaped(new URL(url).host)}</cite></a></div>`;
  const written = `<div data-attrid="SrpGenSumSummary">${answerHtml(content)}</div>`;
  return `<div data-initq="${escaped(note.prompt)}"><div aria-level="2" role="heading"><span>People also ask</span></div><div data-sgrd="true">${[
    [first, cited],
    [second, written],
    [third, cited],
  ]
    .map(([question = '', answer = ''], index) => pairHtml(question, answer, index))
    .join('')}</div></div>`;
}

function pairHtml(question: string, answer: string, index: number): string {
  const open = `this.setAttribute('aria-expanded','true');document.getElementById('paa-${index}').innerHTML=${scriptText(answer)}`;
  return `<div class="related-question-pair" data-q="${escaped(question)}"><div jsname="tJHJj" aria-controls="paa-${index}" aria-expanded="false" role="button" onclick="${escaped(open)}"><span>${escaped(question)}</span></div><div id="paa-${index}"></div></div>`;
}

interface AdBlock {
  id: 'tads' | 'tadsb';
  note: SandboxNote;
  price: (amount: number) => string;
}

function adsHtml({ points, sources, place }: Content, { id, note, price }: AdBlock): string {
  const sold = (id === 'tads' ? points.slice(0, 2) : points.slice(2)).map(({ lead }) => lead.replace(/^.*: /, ''));
  const units = sold.map((name, index) => {
    const { domain } = sources[index]!;
    const landing = `https://www.${domain}/buy/${encodeURIComponent(name.toLowerCase())}`;
    return `<div data-text-ad="1"><a data-pcu="https://www.${domain}/" data-rw="https://www.google.com/aclk?sa=l&amp;ai=sandbox" href="${landing}"><div aria-level="3" role="heading"><span>${name} in ${escaped(place)} - Official Shop</span></div><div><span data-dtld="${domain}" role="text">https://www.${domain}</span></div></a><div><div>Buy the ${name} where it is made. Free returns within thirty days in all of ${escaped(place)}.</div><div role="list"><h3><div role="listitem"><a href="${landing}?list=1">All models</a></div></h3></div></div></div>`;
  });
  const card =
    id === 'tads'
      ? `<g-inner-card><a href="https://www.google.com/aclk?sa=l&amp;ai=sandbox"><div aria-level="3" role="heading">${sold[0]} Travel Set</div></a><span>${price(89)}</span><div>${sources[0]!.site}</div></g-inner-card>`
      : '';
  return `<div id="${id}" aria-label="Ads" role="region" data-country="${note.country}">${units.join('')}${card}</div>`;
}

/** Sponsored product cards; the last one is lowered. */
function sponsoredHtml({ points, sources }: Content, price: (amount: number) => string): string {
  const cards = points.map(({ lead }, index) => {
    const name = escaped(lead.replace(/^.*: /, ''));
    const { url, site } = sources[index]!;
    const old = index === 2 ? `<span style="text-decoration:line-through">${price(149)}</span>` : '';
    return `<div class="mnr-c pla-unit" data-dtld="${sources[index]!.domain}"><a style="display:none" href="/aclk?sa=l&amp;ai=sandbox" id="plap${index}"></a><a href="${escaped(url)}&amp;offer=${index}" id="vplap${index}" data-merchant-id="${index + 1}" data-offer-id="offer-${index}" aria-label="${name} for ${price(59 + 20 * index)} from ${escaped(site)}"></a><div class="pla-unit-container"><img src="https://pictures.example/offer-${index}.webp" alt="Image of ${name}"><div aria-level="3" role="heading"><span>${name}</span></div><div><span>${price(59 + 20 * index)}</span>${old}</div><div><span aria-label="From ${escaped(site)}">${escaped(site)}</span></div></div></div>`;
  });
  return `<div class="cu-container"><div data-pla="1">${cards.join('')}</div></div>`;
}

/** The free grid of products. Its cards have no address. */
function gridHtml({ points, sources }: Content, price: (amount: number) => string): string {
  const cards = points.map(({ lead }, index) => {
    const name = escaped(lead.replace(/^.*: /, ''));
    return `<li role="listitem" data-offer-surface="search-result-surface"><div data-attrid="apg-product-result" role="link"><img src="https://pictures.example/grid-${index}.jpg" alt="${name}. "><div>${name}</div><div><span aria-label="Current Price: ${price(69 + 10 * index)}. ">${price(69 + 10 * index)}</span></div><div><span>${escaped(sources[index]!.site)}</span></div><div><span>4.${index + 2}</span><span>(${index + 1}2)</span></div></div></li>`;
  });
  return `<product-viewer-group><g-card><div aria-level="2" role="heading">Popular products</div><ul>${cards.join('')}</ul></g-card></product-viewer-group>`;
}

const topStoriesHtml = ({ sources }: Content): string =>
  `<g-section-with-header><div aria-level="2" role="heading">Top stories</div>${sources
    .slice(0, 3)
    .map(
      ({ url, title, site }, index) =>
        `<div role="listitem"><div data-news-cluster-id="${index}" data-news-doc-id="story-${index}"><a jsname="YKoRaf" href="${escaped(url)}&amp;story=1"><span>${escaped(site)}</span><div aria-level="3" role="heading">${escaped(title)}</div><span>${index + 2} hours ago</span></a></div></div>`,
    )
    .join('')}</g-section-with-header>`;

const placesHtml = ({ sources, place }: Content): string =>
  `<div><div aria-level="2" role="heading">Places</div>${sources
    .slice(0, 3)
    .map(
      ({ site }, index) =>
        `<div data-cid="${1000 + index}" data-attrid="local-result"><a href="https://www.google.com/maps/place/${encodeURIComponent(site)}"><div role="heading" aria-level="3">${escaped(site)} Store</div></a><span>4.${index + 3}</span><span>${escaped(place)}</span></div>`,
    )
    .join('')}</div>`;

const videosHtml = ({ sources }: Content): string =>
  `<div><div aria-level="2" role="heading">Videos</div>${sources
    .slice(0, 2)
    .map(
      ({ url, title }, index) =>
        `<div data-vid="video${index}" data-vurl="${escaped(url)}"><a href="${escaped(url)}&amp;watch=1"><div role="heading" aria-level="3">${escaped(title)}</div></a><span>4:0${index}</span></div>`,
    )
    .join('')}</div>`;

const relatedHtml = ({ queries }: Content): string =>
  `<div id="bres"><div data-abe=""><div aria-level="2" role="heading">People also search for</div>${queries.map((query) => `<a href="/search?q=${encodeURIComponent(query)}&amp;sa=X&amp;ved=sandbox">${escaped(query)}</a>`).join('')}</div></div>`;
