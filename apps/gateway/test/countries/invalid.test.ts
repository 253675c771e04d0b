import { beforeAll, expect, test } from '@jest/globals';
import { type Tenant, useStack } from '../../../../test/stack.js';

const stack = useStack({ services: ['gateway'] });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

test.each(['model=', 'model=CHATGPT', 'model=GOOGLE_NEWS', 'model=news', 'model=chatgpt&model=grok', 'model=__proto__'])(
  '?%s names no model: 400',
  async (query) => {
    const { status, body } = await tenant.get(`/v1/countries?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      success: false,
      error: 'Request validation failed',
      details: [{ field: 'model', message: expect.stringContaining('chatgpt') }],
    });
  },
);
