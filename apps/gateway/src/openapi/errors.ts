import { ERRORS, type ErrorCode, RETRIES_EXCEEDED } from '@overheard/contracts';
import type { HeaderName } from './headers.js';
import { simpleBody, standardBody, validationBody } from './schemas.js';
import type { SchemaOf } from './components.js';

/** What a route may answer instead: the codes of the Standard form, `VALIDATION_ERROR` for the Validation form, and the Simple 500. */
export type ErrorName = ErrorCode | 'MAXIMUM_RETRIES_EXCEEDED';

const AT = '2026-01-31T09:30:00.000Z';

/** What `details` holds, by code. */
const DETAILS: Partial<Record<ErrorName, Record<string, unknown>>> = {
  INSUFFICIENT_PERMISSIONS: { required: 'tasks:create' },
  INSUFFICIENT_CREDITS: { required: 5, available: 2 },
  RESOURCE_ALREADY_EXISTS: { taskId: '019b0a4c-7c1e-7d2a-9b54-0f6f3c1d2e3f', status: 'COMPLETED' },
  CONCURRENT_LIMIT_EXCEEDED: { limit: 50 },
  RATE_LIMIT_EXCEEDED: { limit: 500, window: '1s' },
  QUEUE_LIMIT_EXCEEDED: { limit: 100_000 },
  EXTERNAL_SERVICE_ERROR: { service: 'Upstream', attempts: 10, reason: 'blocked' },
};

/** The responses of a route's errors, by status. */
export function errorResponses(names: readonly ErrorName[], headersOf: (status: number) => readonly HeaderName[], schemaOf: SchemaOf): Record<string, object> {
  const byStatus = new Map<number, ErrorName[]>();
  for (const name of names) byStatus.set(statusOf(name), [...(byStatus.get(statusOf(name)) ?? []), name]);
  return Object.fromEntries(
    [...byStatus].sort(([one], [other]) => one - other).map(([status, those]) => [status, response(those, headersOf(status), schemaOf)]),
  );
}

const statusOf = (name: ErrorName): number => (name === 'MAXIMUM_RETRIES_EXCEEDED' ? 500 : ERRORS[name].status);

function response(names: ErrorName[], headers: readonly HeaderName[], schemaOf: SchemaOf): object {
  return {
    description: names.map((name) => `\`${name}\`: ${messageOf(name)}`).join('. '),
    headers: Object.fromEntries(headers.map((name) => [name, { $ref: `#/components/headers/${name}` }])),
    content: {
      'application/json': { schema: bodySchema(names, schemaOf), examples: Object.fromEntries(names.map((name) => [name, { value: exampleOf(name) }])) },
    },
  };
}

function bodySchema(names: ErrorName[], schemaOf: SchemaOf): object {
  const codes = names.filter((name) => name !== 'MAXIMUM_RETRIES_EXCEEDED' && name !== 'VALIDATION_ERROR');
  const forms = [
    ...(codes.length > 0 ? [{ ...schemaOf(standardBody), properties: { error: { properties: { code: { enum: codes } } } } }] : []),
    ...(names.includes('VALIDATION_ERROR') ? [schemaOf(validationBody)] : []),
    ...(names.includes('MAXIMUM_RETRIES_EXCEEDED') ? [schemaOf(simpleBody)] : []),
  ];
  return forms.length === 1 && forms[0] ? forms[0] : { oneOf: forms };
}

const messageOf = (name: ErrorName): string =>
  name === 'MAXIMUM_RETRIES_EXCEEDED' ? RETRIES_EXCEEDED : name === 'EXTERNAL_SERVICE_ERROR' ? `${ERRORS[name].message}: Upstream` : ERRORS[name].message;

function exampleOf(name: ErrorName): object {
  if (name === 'MAXIMUM_RETRIES_EXCEEDED') return { success: false, error: RETRIES_EXCEEDED };
  if (name === 'VALIDATION_ERROR') return { success: false, error: messageOf(name), details: [{ field: 'country', message: 'Invalid country code' }] };
  const details = DETAILS[name];
  return { error: { code: name, message: messageOf(name), ...(details ? { details } : {}), timestamp: AT } };
}
