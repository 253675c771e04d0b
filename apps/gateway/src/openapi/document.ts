import type * as z from 'zod';
import { contracts } from '@overheard/providers/contracts';
import { Components, type SchemaOf } from './components.js';
import { errorResponses, type ErrorName } from './errors.js';
import { deliveredTask } from './examples.js';
import { HEADERS, type HeaderName, RATE } from './headers.js';
import { type Operation, operations, TAGS } from './operations.js';
import { taskRead } from './schemas.js';

const VERSION = '1.0.0';

/** The API as an OpenAPI 3.1 document, made from the contracts that validate its requests and the shapes of its answers. */
export function openapiDocument(): Record<string, any> {
  const components = new Components();
  const paths: Record<string, Record<string, object>> = {};
  for (const operation of operations) (paths[operation.path] ??= {})[operation.method] = described(operation, components);
  const webhooks = { taskOver: { post: delivery(components.schemaOf) } };
  return {
    openapi: '3.1.0',
    jsonSchemaDialect: 'https://json-schema.org/draft/2020-12/schema',
    info: {
      title: 'Overheard',
      version: VERSION,
      summary: 'Asks AI assistants and search engines from a country and returns what they said as structured data.',
      description:
        'Bodies are JSON. Field names are case-sensitive. Fields that are not described here may be added at any time and must be ignored; what was not given by an upstream is absent, never null.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'The service that this document came from' }],
    security: [{ apiKey: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          bearerFormat: 'sk_live_… or sk_test_…',
          description: 'A key of the account. Test keys are answered by the sandbox, for nothing.',
        },
      },
      headers: HEADERS,
      responses: components.responses,
      schemas: withPayloads(sorted(components.schemas)),
    },
  };
}

function described(operation: Operation, { schemaOf, responseOf }: Components): object {
  const { id, tag, summary, description, scope, open, parameters, body, answer } = operation;
  const needs = open ? [] : [scope ? `Needs the scope \`${scope}\`.` : 'Any valid key will do.'];
  const errors = Object.entries(errorResponses(errorsOf(operation), (status) => headersFor(operation, status), schemaOf));
  return {
    operationId: id,
    tags: [tag],
    summary,
    description: [description, ...needs].join(' '),
    ...(open ? { security: [] } : {}),
    ...(scope ? { 'x-required-scope': scope } : {}),
    ...(hasParameters(operation)
      ? { parameters: [...parametersOf('path', parameters?.path, schemaOf), ...ofPage(operation), ...parametersOf('query', parameters?.query, schemaOf)] }
      : {}),
    ...(body ? { requestBody: { required: true, content: { 'application/json': { schema: schemaOf(body.schema, 'input'), example: body.example } } } } : {}),
    responses: {
      [answer.status]: {
        description: answer.description,
        headers: referred(headersFor(operation, answer.status)),
        content: {
          [answer.type ?? 'application/json']: {
            schema: answer.schema ? schemaOf(answer.schema) : { type: answer.type === 'text/html' ? 'string' : 'object' },
            ...(answer.example ? { example: answer.example } : {}),
          },
        },
      },
      ...Object.fromEntries(errors.map(([status, response]) => [status, responseOf(status, response)])),
    },
  };
}

const hasParameters = ({ parameters, path }: Operation): boolean => parameters !== undefined || path.includes('{');

/** The one parameter that no contract describes: Fastify's wildcard. */
const ofPage = ({ path }: Operation): object[] =>
  path.includes('{page}') ? [{ name: 'page', in: 'path', required: true, schema: { type: 'string', pattern: '^[A-Za-z0-9_-]{32}$' } }] : [];

function parametersOf(place: 'path' | 'query', fields: z.ZodType | undefined, schemaOf: SchemaOf): object[] {
  if (!fields) return [];
  const { properties = {}, required = [] } = schemaOf(fields, 'input');
  return Object.entries(properties).map(([name, schema]) => ({ name, in: place, required: place === 'path' || required.includes(name), schema }));
}

/** What any route of its kind may answer instead, and then its own. */
function errorsOf({ method, open, scope, parameters, errors = [] }: Operation): ErrorName[] {
  if (open) return [...errors, 'INTERNAL_SERVER_ERROR'];
  const takesBody = method !== 'get';
  return [
    ...(takesBody || parameters ? (['VALIDATION_ERROR'] as const) : []),
    ...(['MISSING_API_KEY', 'INVALID_API_KEY_FORMAT', 'INVALID_OR_EXPIRED_API_KEY'] as const),
    ...(scope ? (['INSUFFICIENT_PERMISSIONS'] as const) : []),
    ...(takesBody ? (['PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] as const) : []),
    'RATE_LIMIT_EXCEEDED',
    'INTERNAL_SERVER_ERROR',
    ...errors,
  ];
}

/** Decision S10: an id always, the rate to whoever has a key, and what the route itself adds. */
function headersFor({ open, answer, errorHeaders = [] }: Operation, status: number): HeaderName[] {
  const own = status === answer.status ? (answer.headers ?? []) : status === 401 ? [] : errorHeaders;
  return ['X-Request-Id', ...(open || status === 401 ? [] : RATE), ...own, ...(status === 429 ? (['Retry-After'] as const) : [])];
}

const referred = (names: readonly HeaderName[]) => Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const SIGNATURE = {
  'X-Service-Timestamp': 'Unix time in seconds when the attempt was signed. Refuse one that is more than five minutes off.',
  'X-Service-Signature': '`v1=` and the hex HMAC-SHA256 of `<timestamp>.<raw body>`, with the whole `whsec_` secret as its key. Compare in constant time.',
  'X-Service-Webhook-Id': '`<task id>-<attempt>`.',
  'webhook-id': 'The task id, the same on every attempt: drop what you have had already.',
  'webhook-timestamp': 'The same time, as Standard Webhooks 1.0 names it.',
  'webhook-signature': '`v1,` and the signature as Standard Webhooks 1.0 makes it.',
};

function delivery(schemaOf: SchemaOf): object {
  return {
    operationId: 'taskOver',
    tags: ['Webhooks'],
    summary: 'A task is over',
    description:
      'Sent to `webhook.url` of a task that is COMPLETED or FAILED: byte for byte the task read without `task.webhook`, the same bytes on every attempt. The headers are there when the account has signing enabled. Attempts 2 to 5 follow 2, 4, 8 and 16 minutes after the one before.',
    security: [],
    parameters: Object.entries(SIGNATURE).map(([name, description]) => ({ name, in: 'header', required: false, description, schema: { type: 'string' } })),
    requestBody: { required: true, content: { 'application/json': { schema: schemaOf(taskRead), example: deliveredTask() } } },
    responses: {
      '2XX': { description: 'Received. What the body of the answer says does not matter.' },
      '4XX': { description: 'Not received, as is everything else, redirects and time-outs included: it is sent again.' },
    },
  };
}

/** Zod knows the payload as anything at all; which contract it has to fit is decided by the task type. */
function withPayloads(schemas: Record<string, any>): Record<string, any> {
  const payload = {
    anyOf: contracts.map(({ request }) => ({ $ref: `#/components/schemas/${String(request.meta()?.['id'])}` })),
    description: 'The body of the matching monitor endpoint.',
  };
  for (const name of ['TaskCreation', 'EstimateRequest']) schemas[name] = { ...schemas[name], properties: { ...schemas[name].properties, payload } };
  const { tasks } = schemas['TaskBatch'].properties;
  schemas['TaskBatch'] = { ...schemas['TaskBatch'], properties: { tasks: { ...tasks, items: { $ref: '#/components/schemas/TaskCreation' } } } };
  return schemas;
}

const sorted = (schemas: Record<string, any>) => Object.fromEntries(Object.entries(schemas).sort(([one], [other]) => (one < other ? -1 : 1)));
