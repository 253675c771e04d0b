import type { Sandbox, SandboxNote } from '../sandbox.js';
import { contentOf, type Source } from '../steering/content.js';
import { escaped, noteSearch, nothingFound, obstacle, pageReply, resultsPage } from '../steering/google-page.js';
import type { Steering } from '../steering/steering.js';

/** Stands in for the news tab of Google Search. */
export const googleNewsSandbox: Sandbox = {
  note: noteSearch,

  async answer(_call, note, steering) {
    const trouble = obstacle(note, steering);
    if (trouble) return trouble;
    if (steering.empty) return pageReply(resultsPage({ note }), steering);
    if (steering.words.has('noresults')) return pageReply(resultsPage({ note, message: nothingFound(note, 'news results') }), steering);
    return pageReply(resultsPage({ note, results: articles(note, steering), paddingBytes: steering.largeBytes }), steering);
  },
};

function articles({ country = 'US', page = 1 }: SandboxNote, { text, nonce }: Steering): string {
  const { sources } = contentOf({ text: page > 1 ? `${text} page ${page}` : text, country, nonce });
  return sources.map((source, index) => article(source, { index, page })).join('');
}

const article = ({ url, site, title, snippet }: Source, { index, page }: { index: number; page: number }): string =>
  `<div class="SoaBEf"><div data-news-cluster-id="${page}${index}" data-news-doc-id="news-${page}-${index}"><a jsname="YKoRaf" href="${escaped(url)}&amp;page=${page}"><div><div><img alt="" src="https://pictures.example/news-${index}.jpg"></div><div><div><g-img><img src="https://icons.example/${index}.png" alt=""></g-img><span>${escaped(site)}</span></div><div aria-level="3" role="heading">${escaped(title)}</div><div>${escaped(snippet)}</div><div><span>${index + 1} hours ago</span></div></div></div></a></div></div>`;
