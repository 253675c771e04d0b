import { countriesWithout, fieldText, shapes, wholeNumber } from '@overheard/contracts';
import * as z from 'zod';

// What the requests and results of the providers that are read from Google's pages have in common.

/**
 * Where a search page can be asked from. Google publishes no list of countries for Search, only of its domains, google.com/supported_domains,
 * and answers on google.com for every other country. Missing are those that have no domain (as read on 2026-11-28) and are under a
 * comprehensive embargo of the United States; Cuba is, but has one.
 */
export const searchCountries = countriesWithout('IR', 'KP', 'SY');

export const device = z.enum(['desktop', 'mobile'], { error: 'device must be desktop or mobile' }).default('desktop');

/** How many result pages are wanted (decision R8). */
export const pages = wholeNumber('pages', 1, 10).default(1);

/** A place inside the country, by its canonical name or as an encoded `uule`: one of them at most (decision R6). */
export const spot = { location: fieldText('location', 500).optional(), uule: fieldText('uule', 500).optional() };

/** Holds `spot` to one of the two, also when other fields are wrong: all problems are reported at once (decision S8). */
export const oneSpot = <Fields extends z.ZodObject<typeof spot>>(fields: Fields) =>
  fields.refine(({ location, uule }) => location === undefined || uule === undefined, {
    path: ['uule'],
    error: 'Cannot set both location and uule; provide only one',
    when: ({ value }) => typeof value === 'object' && value !== null,
  });

const text = z.string().optional();

/** A video inside a generated answer. */
export const answerVideo = z.object({ url: z.string(), title: z.string(), thumbnail: text, source: text, platform: text, date: text, duration: text });

/** An advertisement inside a generated answer. */
export const answerAd = z.object({
  position: z.int(),
  title: z.string(),
  url: text,
  type: text,
  domain: text,
  description: text,
  store: text,
  image: text,
  price: shapes.price.optional(),
  old_price: shapes.price.optional(),
});
