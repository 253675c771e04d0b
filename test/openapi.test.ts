import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from '@jest/globals';
import { contracts } from '@overheard/providers/contracts';
import { loadEngine } from '@overheard/providers/engines';
import { format } from 'prettier';
import { bodyFault, document } from './conformance.js';
import { type Tenant, useStack } from './stack.js';

const stack = useStack({ env: { PROVIDERS: contracts.map(({ id }) => id).join(',') } });
let tenant: Tenant;
beforeAll(async () => void (tenant = await stack.tenant()));

type Json = Record<string, any>;

/** Everything under a name, wherever it stands. */
function found(value: unknown, name: string): Json[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => (key === name ? [value as Json] : found(inner, name)));
}

describe('the document', () => {
  test('is served to whoever asks, as it is committed', async () => {
    const { status, headers, body } = await stack.as().get('/openapi.json');
    expect([status, headers.get('content-type'), headers.get('access-control-allow-origin')]).toEqual([200, 'application/json; charset=utf-8', '*']);
    expect(body).toEqual(document);
  });

  test('is a page too, which runs nothing and loads nothing', async () => {
    const { status, headers, text } = await stack.as().get('/docs');
    expect([status, headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(text).toContain('<html lang="en">');
  });

  test('has examples that fit their schemas to the letter', () => {
    const contents = [...found(document, 'example'), ...found(document, 'examples')];
    expect(contents.length).toBeGreaterThan(30);
    for (const { schema, example, examples = {} } of contents) {
      const values = [...(example === undefined ? [] : [example]), ...Object.values(examples as Json).map(({ value }) => value)];
      for (const value of values) expect([value, bodyFault(schema, value)]).toEqual([value, undefined]);
    }
  });
});

const recorded: Json = {};

describe.each(contracts)('the example of $label', ({ id, path }) => {
  const { requestBody, responses } = document['paths'][`/v1/monitor/${path}`].post;
  const { example } = responses['200'].content['application/json'];

  test('is what is answered to the question beside it', async () => {
    const { status, body } = await tenant.post(`/v1/monitor/${path}`, requestBody.content['application/json'].example);
    if (!(await loadEngine(id))) return;
    expect(status).toBe(200);
    recorded[id] = body;
    if (example && !process.env['RECORD_EXAMPLES']) expect(Object.keys(body.result)).toEqual(Object.keys(example.result));
  });
});

/** RECORD_EXAMPLES=1 puts what was answered into the document's examples; node scripts/openapi.mjs then writes the document. */
test('every provider that answers has an example', async () => {
  const file = join(import.meta.dirname, '..', 'libs', 'providers', 'src', 'examples.ts');
  if (process.env['RECORD_EXAMPLES']) writeFileSync(file, await format(source(recorded), { parser: 'typescript', printWidth: 160, singleQuote: true }));
  else for (const id of Object.keys(recorded)) expect(document['components'].schemas.TaskType.enum).toContain(id);
});

const source = (
  answers: Json,
): string => `/** An answer of each provider, recorded from the sandbox for the API's document: \`RECORD_EXAMPLES=1 npm test -- test/openapi\`. */
export const examples: Readonly<Record<string, { success: boolean; result: object; quality: object }>> = ${JSON.stringify(answers)};
`;
