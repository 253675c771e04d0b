import { readFileSync } from 'node:fs';
import { afterAll, describe, expect, it } from '@jest/globals';
import { serveSandbox } from '../browser/serve-sandbox.js';
import { describeWithChromium } from '../browser/with-chromium.js';
import { creditsOf, priceOf } from '../contract.js';
import { aimodeContract } from './contract.js';
import { aimodeEngine } from './engine.js';
import { aimodeSandbox } from './sandbox.js';

const read = (name: string) => ({ name, text: readFileSync(new URL(`./fixtures/${name}.html`, import.meta.url), 'utf8') });
const settings = aimodeEngine.settings.parse(process.env);
const engine = aimodeEngine.create(settings);
const extract = async (name: string) => {
  const answer = await engine.extract([read(name)], {});
  expect(aimodeContract.result.parse(answer.result)).toEqual(answer.result);
  return answer;
};

afterAll(() => engine.close!());

describe('a conversation', () => {
  it('is read with sources and marks, places, products, videos and advertisements', async () => {
    const { result, quality } = await extract('cited');
    expect(result).toEqual({
      text: 'Quiet pumps\n\nThe Airpipe Nano is the quietest one.',
      markdown: '### Quiet pumps\n\nThe **Airpipe Nano** is the quietest one.',
      sources: [
        { position: 1, url: 'https://quietpumps.example/test', label: 'Pump test', description: 'Twelve pumps were measured at night by three people.' },
      ],
      citationPills: [{ label: 'Pump test', citationPillId: 1, url: 'https://quietpumps.example/test', domain: 'quietpumps.example', position: 1 }],
      places: [
        {
          name: 'Fishworld',
          url: 'https://fishworld.example/',
          map_url: 'https://www.google.com/maps/place/Fishworld/@30.26,-97.74,17z',
          rating: 4.7,
          address: ['1 Main Street'],
          lat: 30.26,
          lng: -97.74,
          categories: ['Pet shop'],
        },
      ],
      shopping_cards: [
        {
          tags: [],
          products: [
            {
              position: 1,
              title: 'Airpipe Nano',
              price: '$49.99',
              url: 'https://shop.example/nano',
              rating: 4.6,
              num_reviews: 1210,
              image_urls: ['https://pictures.example/nano.jpg'],
              merchant: 'Fishworld',
            },
          ],
        },
      ],
      videos: [{ url: 'https://videos.example/watch?v=1', title: 'Hear nothing', source: 'Fish Channel', platform: 'YouTube', date: '1y', duration: '2:05' }],
      ads: [
        {
          position: 1,
          title: 'Pump sale',
          url: 'https://hoseworld.example/sale',
          type: 'product',
          domain: 'hoseworld.example',
          store: 'Hoseworld',
          price: { value: 39, currency: 'USD', raw: '$39.00' },
        },
      ],
    });
    expect(quality.status).toBe('ok');
  });

  it('has only what is there', async () => {
    expect(Object.keys((await extract('plain')).result)).toEqual(['text', 'markdown', 'sources', 'citationPills']);
  });

  it('is its last turn; marks that are links lead where they lead, one that hides it is unresolved', async () => {
    const { result, quality } = await extract('marks-as-links');
    expect(result).toMatchObject({
      text: "En sessiz pompa Nano'dur.\n\nUcuz olanı da var.",
      sources: [{ label: 'Sessiz pompalar', url: 'https://pompa.example/sessiz' }],
    });
    expect(result.citationPills.map(({ domain }) => domain)).toEqual(['pompa.example']);
    expect(quality.checks).toContainEqual({ id: 'citations_resolve', status: 'failed', detail: '1 without a source' });
  });

  it('without sources is degraded', async () => {
    const { result, quality } = await extract('uncited');
    expect([result.markdown, quality.status]).toEqual(['Pumps have many icons.\n\nUse any `svg` of a pump.', 'degraded']);
  });

  it.each([
    ['captcha', 'blocked'],
    ['consent', 'blocked'],
    ['unanswered', 'invalid_answer'],
  ])('%s: %s', async (name, reason) => {
    await expect(engine.extract([read(name)], {})).rejects.toMatchObject({ name: 'UpstreamFailure', reason });
  });
});

it('costs 4 credits, whatever is asked (decision M1)', () => {
  expect(creditsOf(priceOf(aimodeContract, aimodeContract.request.parse({ prompt: 'pump', country: 'US', include: { html: true, markdown: true } })))).toBe(4);
});

describeWithChromium(settings, 'in a real browser', () => {
  const ask = async (request: object) => {
    await using sandbox = await serveSandbox(aimodeSandbox);
    const answer = await engine.ask({
      request: aimodeContract.request.parse({ country: 'US', ...request }),
      route: 'sandbox',
      sandboxUrl: sandbox.url,
      signal: AbortSignal.timeout(30_000),
      storeHtml: async () => 'https://storage.example/1',
    });
    expect(aimodeContract.result.parse(answer.result)).toEqual(answer.result);
    return { ...answer, notes: sandbox.notes };
  };

  it('an answer is waited for until it is written', async () => {
    const { result, quality, notes } = await ask({
      prompt: 'pump #nonce=n1 #places #shopping #videos #ads',
      uule: 'w+CAIQICIaQXVzdGluLFRleGFzLFVuaXRlZCBTdGF0ZXM',
      include: { html: true, markdown: true },
    });
    expect(Object.keys(result).sort()).toEqual(['ads', 'citationPills', 'html', 'markdown', 'places', 'shopping_cards', 'sources', 'text', 'videos']);
    expect([result.text.includes('n1'), result.markdown?.includes('n1'), quality.status]).toEqual([true, true, 'ok']);
    expect(notes.map(({ location }) => location)).toEqual(['Austin,Texas,United States']);
  }, 30_000);

  it('one that never comes is invalid_answer, a block is blocked', async () => {
    await expect(ask({ prompt: 'pump #empty' })).rejects.toMatchObject({ reason: 'invalid_answer' });
    await expect(ask({ prompt: 'pump #blocked' })).rejects.toMatchObject({ reason: 'blocked' });
  }, 30_000);
});
