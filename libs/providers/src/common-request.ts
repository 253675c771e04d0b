import { countryOf, flag, includeFlags, promptText } from '@overheard/contracts';
import * as z from 'zod';

/** The request that most assistants share (interface.md, Common request fields): a prompt, a country, and what to include. */
export const commonRequest = (countries: readonly string[]) =>
  z.object({
    prompt: promptText('Prompt'),
    country: countryOf(countries),
    include: includeFlags({ html: flag, markdown: flag, rawResponse: flag }),
  });
