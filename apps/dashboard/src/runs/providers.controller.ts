import { Controller, Get } from '@nestjs/common';
import { contracts, creditsOf, type ProviderContract } from '@overheard/providers/contracts';
import { z } from 'zod';
import type { Provider } from '../api.js';

interface JsonSchema {
  properties?: Record<string, JsonSchema>;
  allOf?: JsonSchema[];
  anyOf?: JsonSchema[];
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
  const schema = z.toJSONSchema(contract.request, { io: 'input', unrepresentable: 'any', reused: 'inline' }) as JsonSchema & Record<string, unknown>;
  const countries = [...new Set(Object.values(contract.models).flat())].sort();
  const promptField = ['prompt', 'query'].find((name) => Object.hasOwn(schema.properties ?? {}, name)) ?? '';
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
