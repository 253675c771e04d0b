import { Controller, Get } from '@nestjs/common';
import { ISO_COUNTRIES } from '@overheard/contracts';
import { contracts, creditsOf, type ProviderContract } from '@overheard/providers/contracts';
import * as z from 'zod';
import type { Provider } from '../api.js';

interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, JsonSchema>;
}

/** What may be asked of whom, so that a form can be made of it. */
@Controller('/api/providers')
export class ProvidersController {
  private readonly providers = contracts.map(providerOf);

  @Get()
  list(): Provider[] {
    return this.providers;
  }
}

function providerOf(contract: ProviderContract<any, any>): Provider {
  const schema = requestSchema(contract);
  const promptField = ['prompt', 'query'].find((name) => Object.hasOwn(schema.properties ?? {}, name)) ?? '';
  const countries = ISO_COUNTRIES.filter((country) => contract.request.safeParse({ [promptField]: 'x', country }).success);
  return {
    id: contract.id,
    label: contract.label,
    path: `/v1/monitor/${contract.path}`,
    countries,
    promptField,
    schema,
    optionCredits: optionCredits(contract, schema, { [promptField]: 'x', country: countries[0] }),
  };
}

/** A contract has a name, so zod puts it among the definitions and refers to it. */
function requestSchema({ id, request }: ProviderContract<any, any>): JsonSchema {
  const { $defs = {} } = z.toJSONSchema(request, { io: 'input', unrepresentable: 'any' }) as { $defs?: Record<string, JsonSchema> };
  const [schema, ...others] = Object.values($defs);
  if (!schema || others.length > 0) throw new Error(`the request of ${id} is not one schema with a name`);
  return schema;
}

/** What each option in a group of options, such as `include`, costs when it is the only one. */
function optionCredits(contract: ProviderContract<any, any>, { properties = {} }: JsonSchema, least: object): Record<string, number> {
  const options = Object.entries(properties).flatMap(([group, inner]) => Object.keys(inner.properties ?? {}).map((name) => ({ group, name })));
  return Object.fromEntries(
    options.flatMap(({ group, name }) => {
      const request = contract.request.safeParse({ ...least, [group]: { [name]: true } });
      const credits = request.success ? creditsOf(contract.surcharges(request.data)) : 0;
      return credits > 0 ? [[`${group}.${name}`, credits]] : [];
    }),
  );
}
