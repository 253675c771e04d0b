// The public extractors of Google's pages: each one's whole extraction of a page, and what it found under the names of our own result.
import { extractAIOverview, extractResults } from '@apify/google-extractors';
import { load } from 'cheerio';
import { GoogleMobileSERP, GoogleNojsSERP, GoogleSERP } from 'serp-parser';

/** @typedef {'desktop' | 'mobile' | 'no-JS'} Device */
/** @typedef {{ extract: (html: string, device: Device) => any, asResult: (found: any) => object }} Extractor */

/** @type {Record<string, Extractor>} */
export const PEERS = {
  '@apify/google-extractors': {
    async extract(html, device) {
      const page = load(html);
      const options = { mobile: device === 'mobile', hostname: 'www.google.com' };
      // An overview that the page does not hold yet it would fetch from Google.
      const isOnPage = page('.NN8h5c').length === 0;
      return { ...extractResults(page, options), ...(isOnPage && (await extractAIOverview(page, options))) };
    },
    asResult: ({ organicResults, paidResults, paidProducts, peopleAlsoAsk, relatedQueries, aiOverview }) =>
      result({
        organicResults: organicResults.map(({ title, url, displayedUrl, description, date, siteLinks }) => ({
          title,
          link: url,
          displayedLink: displayedUrl,
          snippet: description,
          date: date && String(date),
          sitelinks: siteLinks.map((other) => ({ title: other.title, link: other.url })),
        })),
        peopleAlsoAsk: peopleAlsoAsk.map(({ question }) => ({ question })),
        relatedSearches: relatedQueries.map(({ title, url }) => ({ query: title, link: url })),
        // It does not tell the blocks apart.
        ads: paidResults.map(({ title, url, directUrl }) => ({ blockPosition: 'top', type: 'text', title, url: directUrl ?? url })),
        shoppingCards: paidProducts.map(({ title, prices }) => ({ title, price: priceOf(prices[0]) })),
        aioverview: aiOverview?.content && { text: aiOverview.content, sources: aiOverview.sources },
      }),
  },
  'serp-parser': {
    extract: (html, device) => new { desktop: GoogleSERP, mobile: GoogleMobileSERP, 'no-JS': GoogleNojsSERP }[device](html).serp,
    asResult: ({ organic, adwords, shopResults, relatedKeywords }) =>
      result({
        organicResults: organic.map(({ title, url, snippet, sitelinks }) => ({
          title,
          link: url,
          snippet,
          sitelinks: sitelinks?.map((other) => ({ title: other.title, link: other.href })),
        })),
        peopleAlsoAsk: [],
        relatedSearches: relatedKeywords.map(({ keyword, path }) => ({ query: keyword, link: path })),
        ads: [...adsOf(adwords?.adwordsTop, 'top'), ...adsOf(adwords?.adwordsBottom, 'bottom')],
        shoppingCards: (shopResults ?? []).map(({ title, price, currency }) => ({ title, price: { value: price, currency, raw: `${currency}${price}` } })),
      }),
  },
};

const adsOf = (ads = [], blockPosition) => ads.map(({ title, url, domain }) => ({ blockPosition, type: 'text', title, url, domain }));

function priceOf(raw) {
  const [, currency, value] = /^(\D*)([\d.,]+)/.exec(raw ?? '') ?? [];
  return value && { value: Number(value.replace(/,/g, '')), currency: { $: 'USD', '€': 'EUR', '£': 'GBP' }[currency.trim()] ?? currency.trim(), raw };
}

/** Whatever has neither title nor address was not found; the rest is in the form that interface.md gives a result. */
function result({ organicResults, peopleAlsoAsk, relatedSearches, ads, shoppingCards, aioverview }) {
  const numbered = (entries) => entries.map((entry, index) => ({ position: index + 1, ...entry }));
  const found = organicResults.filter(({ title, link }) => title && link);
  return {
    organicResults: numbered(found.map(({ sitelinks, ...entry }) => ({ ...entry, ...(sitelinks?.length && { sitelinks: { inline: sitelinks } }) }))),
    peopleAlsoAsk,
    peopleAreSaying: [],
    relatedSearches: relatedSearches.filter(({ query, link }) => query && link),
    ads: numbered(ads.filter(({ title }) => title)),
    shoppingCards: numbered(shoppingCards),
    aioverview: aioverview ? { ...aioverview, sources: numbered(aioverview.sources.filter(({ url }) => url)), citationPills: [] } : null,
  };
}
