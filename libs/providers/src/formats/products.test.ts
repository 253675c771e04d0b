import { describe, expect, it } from '@jest/globals';
import { readProduct } from './products.js';
import { given } from './shape.js';

describe('a product', () => {
  it('has only what is told, under the interface’s names', () => {
    const told = {
      title: 'Nano',
      price: '€24.90',
      rating: 4.5,
      num_reviews: 12,
      merchants: 'Shop',
      product_lookup_key: { data: 'k', version: '1' },
      secret: 1,
    };
    const empty = {
      description: null,
      url: '',
      image_urls: [],
      offers: [{}, { merchant_name: null }],
      variants: {},
      showcase_metadata: { image: { url: null } },
    };
    expect(readProduct({ ...told, ...empty }, 3)).toEqual({
      title: 'Nano',
      price: '€24.90',
      rating: 4.5,
      num_reviews: 12,
      merchant: 'Shop',
      productLookupKey: { data: 'k' },
      position: 3,
    });
  });

  it('drops fields of another type than the interface’s', () => {
    expect(readProduct({ title: 'Nano', price: 24.9, rating: '4', num_reviews: 1.5, image_urls: 'x', show_price_disclosure: 'no' })).toEqual({ title: 'Nano' });
  });

  it('without a title is none', () => {
    for (const value of [{}, { title: '' }, { price: '€1' }, null, 'Nano', []]) expect(readProduct(value)).toBeUndefined();
  });
});

it('what is given holds nothing empty, at any depth', () => {
  expect(given({ a: null, b: '', c: [], d: { e: [null, { f: '' }] }, g: [0, false, { h: 'x', i: null }] })).toEqual({ g: [0, false, { h: 'x' }] });
  expect([given(null), given({}), given([])]).toEqual([undefined, undefined, undefined]);
});
