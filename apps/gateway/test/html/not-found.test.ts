import { expect, test } from '@jest/globals';
import { useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });

test.each(['', 'x', 'A'.repeat(32), 'A'.repeat(33), '..%2f..%2fv1%2fcountries', '$G.transit', `${'A'.repeat(31)}*`, '%00', `${'A'.repeat(32)}/x`])(
  '/html/%s is no page: 404, with or without a key',
  async (name) => {
    for (const client of [stack.as(), await stack.tenant()]) {
      const { status, body, headers } = await client.get(`/html/${name}`);
      expect([status, body.error.code]).toEqual([404, expect.stringMatching(/^(RESOURCE_)?NOT_FOUND$/)]);
      expect(headers.get('content-type')).toMatch(/^application\/json/);
    }
  },
);
