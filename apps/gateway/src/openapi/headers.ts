/** A header as OpenAPI describes one. */
interface Header {
  description: string;
  required?: boolean;
  schema: object;
}

const whole = { type: 'integer', minimum: 0 };

/** Every header of decision S10, and those that HTTP itself asks for. */
export const HEADERS = {
  'X-Request-Id': {
    description: 'A UUIDv7, new with every request. For monitor calls and task creation it is the task’s id too.',
    required: true,
    schema: { type: 'string', format: 'uuid' },
  },
  'X-RateLimit-Limit': { description: 'Requests a second that the account may make.', schema: whole },
  'X-RateLimit-Remaining': { description: 'Requests that are left in this second.', schema: whole },
  'X-RateLimit-Reset': { description: 'Seconds until the counter resets: 0 or 1.', schema: { type: 'integer', enum: [0, 1] } },
  'X-Credits-Remaining': { description: 'Credits that can still be spent; from the point where they were looked at.', schema: whole },
  'X-Credits-Charged': { description: 'What this request cost.', schema: whole },
  'X-Concurrent-Limit': { description: 'Simultaneous monitor calls that the account may have.', schema: whole },
  'X-Concurrent-Current': { description: 'Monitor calls under way, this one among them.', schema: whole },
  'X-Concurrent-Remaining': { description: 'Monitor calls that could be added.', schema: whole },
  'X-Ignored-Fields': { description: 'Names of fields in the body that nobody knows, separated by commas; they changed nothing.', schema: { type: 'string' } },
  'X-Upstream': { description: 'Where the answer came from.', schema: { type: 'string', enum: ['live', 'sandbox'] } },
  'Server-Timing': { description: 'Milliseconds: `queue`, `upstream`, `parse` and `total`.', schema: { type: 'string' } },
  'Retry-After': { description: 'Seconds to wait before the next try.', required: true, schema: { type: 'integer', minimum: 1 } },
  Location: { description: 'Where the task is read.', required: true, schema: { type: 'string' } },
  'Cache-Control': { description: 'How long the answer may be kept.', schema: { type: 'string' } },
} as const satisfies Record<string, Header>;

export type HeaderName = keyof typeof HEADERS;

export const RATE: readonly HeaderName[] = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'];
export const CONCURRENCY: readonly HeaderName[] = ['X-Concurrent-Limit', 'X-Concurrent-Current', 'X-Concurrent-Remaining'];
