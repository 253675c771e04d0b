// Reads the JSON Schema of a provider's request as the fields of a form.

export interface JsonSchema {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  enum?: unknown[];
  default?: unknown;
  description?: string;
  minimum?: number;
  maximum?: number;
  maxLength?: number;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  allOf?: JsonSchema[];
}

/** A field of a request: a switch, a choice, a number, a text, or an option with fields of its own. */
export type Field = { path: string; description?: string } & (
  | { kind: 'flag' }
  | { kind: 'choice'; choices: string[]; initial?: string }
  | { kind: 'integer'; min?: number; max?: number; initial?: number }
  | { kind: 'text'; max?: number }
  | { kind: 'option'; fields: Field[] }
);

/** Fields of a request besides those named, in the schema's order; those of plain groups by dotted paths. */
export function fieldsOf(schema: JsonSchema, leftOut: string[], prefix = ''): Field[] {
  return Object.entries(schema.properties ?? {})
    .filter(([name]) => !leftOut.includes(`${prefix}${name}`))
    .flatMap(([name, property]) => fieldOf(`${prefix}${name}`, plain(property), prefix === ''));
}

function fieldOf(path: string, schema: JsonSchema, isTop: boolean): Field[] {
  const { description } = schema;
  if (schema.enum) return [{ path, description, kind: 'choice', choices: schema.enum.map(String), initial: schema.default as string | undefined }];
  switch (schema.type) {
    case 'boolean':
      return [{ path, description, kind: 'flag' }];
    case 'integer':
    case 'number':
      return [{ path, description, kind: 'integer', min: schema.minimum, max: schema.maximum, initial: schema.default as number | undefined }];
    case 'string':
      return [{ path, description, kind: 'text', max: schema.maxLength }];
    case 'object':
      // A group such as `include` is only where its fields stand; an object inside one is an option that is on when it is there.
      return isTop ? fieldsOf(schema, [], `${path}.`) : [{ path, description, kind: 'option', fields: fieldsOf(schema, [], `${path}.`) }];
    default:
      return [];
  }
}

/** Of several forms the one that says most: an object rather than a boolean. */
function plain(schema: JsonSchema): JsonSchema {
  const forms = schema.anyOf ?? schema.oneOf ?? schema.allOf;
  if (!forms) return schema;
  const best = forms.map(plain).sort((a, b) => rank(b) - rank(a))[0] ?? {};
  return { ...best, description: schema.description ?? best.description, default: schema.default ?? best.default };
}

const rank = (schema: JsonSchema): number => (schema.properties ? 3 : schema.enum ? 2 : schema.type ? 1 : 0);

export type Payload = Record<string, unknown>;

/** What stands at a dotted path. */
export const valueAt = (payload: Payload, path: string): unknown =>
  path.split('.').reduce<unknown>((value, name) => (typeof value === 'object' && value !== null ? (value as Payload)[name] : undefined), payload);

/** The payload with another value at a dotted path; undefined takes it out, and groups that it leaves empty. */
export function withValue(payload: Payload, path: string, value: unknown): Payload {
  const [name = '', ...rest] = path.split('.');
  const { [name]: old, ...others } = payload;
  const inner = rest.length === 0 ? value : withValue(typeof old === 'object' && old !== null ? (old as Payload) : {}, rest.join('.'), value);
  const isGone = inner === undefined || (rest.length > 0 && Object.keys(inner as Payload).length === 0 && value === undefined);
  return isGone ? others : { ...others, [name]: inner };
}
