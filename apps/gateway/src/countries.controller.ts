import { Controller, Get, Header, Query } from '@nestjs/common';
import { contracts } from '@overheard/providers/contracts';
import * as z from 'zod';
import { valid } from './validate.js';

const lists: Record<string, readonly string[]> = Object.assign({}, ...contracts.map(({ models }) => models));
const models = Object.keys(lists).sort();
const all = [...new Set(Object.values(lists).flat())].sort();

export const countriesQuery = z.object({ model: z.enum(models, { error: `model must be one of ${models.join(', ')}` }).optional() });

@Controller('/v1/countries')
export class CountriesController {
  // Clients may keep the list for a day (interface.md, Limits).
  @Get()
  @Header('cache-control', 'private, max-age=86400')
  list(@Query() given: unknown): readonly string[] {
    const { model } = valid(countriesQuery, given);
    return model === undefined ? all : (lists[model] ?? []);
  }
}
