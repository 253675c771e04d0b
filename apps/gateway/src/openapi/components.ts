import * as z from 'zod';

/** A contract as JSON Schema; those with an id are named in the components and referred to. */
export type SchemaOf = (schema: z.ZodType, io?: 'input' | 'output') => Record<string, any>;

/** Gathers the named schemas of all contracts that are asked for. */
export class Components {
  readonly schemas: Record<string, any> = {};
  readonly responses: Record<string, object> = {};

  schemaOf: SchemaOf = (schema, io = 'output') => {
    const {
      $schema: _schema,
      $defs = {},
      ...own
    } = z.toJSONSchema(schema, { target: 'draft-2020-12', io, unrepresentable: 'any', override: plain }) as Record<string, any>;
    for (const [name, definition] of Object.entries($defs)) {
      const { id: _id, ...rest } = pointed(definition);
      this.schemas[name] = rest;
    }
    return pointed(own);
  };

  /** An error response that many routes have is described once. */
  responseOf = (status: string, response: object): object => {
    const text = JSON.stringify(response);
    const known = Object.entries(this.responses).find(([, other]) => JSON.stringify(other) === text)?.[0];
    const name = known ?? this.freeName(`Error${status}`);
    this.responses[name] = response;
    return { $ref: `#/components/responses/${name}` };
  };

  private freeName(name: string): string {
    const taken = Object.keys(this.responses).filter((other) => other.split('_')[0] === name).length;
    return taken === 0 ? name : `${name}_${taken + 1}`;
  }
}

/** References as OpenAPI writes them. */
const pointed = (schema: unknown): any => JSON.parse(JSON.stringify(schema).replaceAll('"#/$defs/', '"#/components/schemas/'));

const SAFE = Number.MAX_SAFE_INTEGER;

/** Leaves out what says nothing to a reader, and what would keep us from adding fields: clients have to ignore those they do not know. */
function plain({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodType; jsonSchema: Record<string, any> }): void {
  if (jsonSchema['maximum'] === SAFE) delete jsonSchema['maximum'];
  if (jsonSchema['minimum'] === -SAFE) delete jsonSchema['minimum'];
  if (jsonSchema['format']) delete jsonSchema['pattern'];
  const isStrict = zodSchema._zod.def.type === 'object' && (zodSchema as z.ZodObject)._zod.def.catchall?._zod.def.type === 'never';
  if (jsonSchema['additionalProperties'] === false && !isStrict) delete jsonSchema['additionalProperties'];
}
