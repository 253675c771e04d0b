import { contracts } from '@overheard/providers/contracts';
import { loadEngine } from '@overheard/providers/engines';
import { readConfig } from '@overheard/runtime';

/** `providers`: who can be asked, and whether an upstream of the operator's own is configured for each. */
export function providers(): Promise<unknown> {
  return Promise.all(
    contracts.map(async ({ id }) => {
      const module = await loadEngine(id);
      return { id, live: module ? module.create(readConfig(module.settings)).live : false };
    }),
  );
}
