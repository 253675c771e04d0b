import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** What is held against the document. */
export interface Answered {
  method: string;
  path: string;
  status: number;
  headers: Headers;
  body: unknown;
}

type Json = Record<string, any>;

/** docs/api/openapi.json as it is; that it is what the gateway answers is checked elsewhere. */
export const document = JSON.parse(readFileSync(join(import.meta.dirname, '..', 'docs', 'api', 'openapi.json'), 'utf8')) as Json;

const HTTP_HEADERS = ['retry-after', 'location', 'server-timing'];
const templates = Object.keys(document['paths']).map((template) => ({ template, pattern: new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]+')}$`) }));
const unknownRoute = { description: '', content: { 'application/json': { schema: { $ref: '#/components/schemas/StandardErrorBody' } } } };

const ajv = new Ajv2020({ strict: false, allErrors: false, validateSchema: false });
formats.default(ajv);
ajv.addSchema(closed(document), 'document');
const validators = new Map<string, ValidateFunction>();

/** What is wrong with an answer by the document: its status, its body, or its headers; undefined when nothing is. */
export function deviation({ method, path, status, headers, body }: Answered): string | undefined {
  const plainPath = path.split('?')[0] ?? '';
  const operation = templates
    .filter(({ pattern }) => pattern.test(plainPath))
    .flatMap(({ template }) => document['paths'][template][method.toLowerCase()] ?? [])[0];
  // A head that is too long never becomes a request of any route.
  if (status === 431) return bodyFault({ $ref: '#/components/schemas/ValidationErrorBody' }, body);
  // Refused before or because no route is known: 401, 429, 404, 405.
  const isRefusedAtTheDoor = !operation && [401, 404, 405, 429, 500].includes(status);
  const response = isRefusedAtTheDoor ? unknownRoute : resolved(operation?.responses[status]);
  if (!response) return `the document knows no ${status} of it`;
  const faults = [operation ? undocumentedHeader(response, headers) : undefined, missingHeader(response, headers, status, plainPath)];
  const content = response['content']?.['application/json'];
  if (content) faults.push(bodyFault(content.schema, body));
  return faults.find(Boolean);
}

/** Why a value does not fit a schema of the document. */
export function bodyFault(schema: Json, body: unknown): string | undefined {
  const key = JSON.stringify(schema);
  const validate = validators.get(key) ?? ajv.compile(JSON.parse(key.replaceAll('"#/components/', '"document#/components/')) as Json);
  validators.set(key, validate);
  return validate(body) ? undefined : ajv.errorsText(validate.errors, { dataVar: 'body' });
}

function undocumentedHeader(response: Json, headers: Headers): string | undefined {
  const known = Object.keys(response['headers'] ?? {}).map((name) => name.toLowerCase());
  const names = [...headers.keys()].filter((name) => (name.startsWith('x-') && name !== 'x-content-type-options') || HTTP_HEADERS.includes(name));
  const unknown = names.filter((name) => !known.includes(name));
  return unknown.length > 0 ? `the document knows no header ${unknown.join(', ')} of it` : undefined;
}

function missingHeader(response: Json, headers: Headers, status: number, path: string): string | undefined {
  const demanded = Object.keys(response['headers'] ?? {}).filter((name) => document['components'].headers[name].required);
  // Whoever has a key is told the rate, unless nobody could look the key up.
  const rate = path.startsWith('/v1') && status !== 401 && status < 500 ? ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] : [];
  const missing = ['X-Request-Id', ...demanded, ...rate].filter((name) => !headers.has(name));
  return missing.length > 0 ? `it lacks ${missing.join(', ')}` : undefined;
}

const resolved = (response: Json | undefined): Json | undefined =>
  response?.['$ref'] ? document['components'].responses[String(response['$ref']).split('/').at(-1) ?? ''] : response;

/** Clients have to ignore fields they do not know; a test must not: every object has the fields that are described and no others. */
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed);
  if (typeof schema !== 'object' || schema === null) return schema;
  const inner = Object.fromEntries(Object.entries(schema).map(([name, value]) => [name, closed(value)]));
  return inner['type'] === 'object' && inner['properties'] && !('additionalProperties' in inner) ? { ...inner, additionalProperties: false } : inner;
}
