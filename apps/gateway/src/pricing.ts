import { creditsOf, priceOf, type ProviderContract } from '@overheard/providers/contracts';
import type { Config } from './config.js';

/** What a request costs here: the contract's price with the operator's base. */
export function creditsFor(contract: ProviderContract, request: unknown, config: Config): number {
  return creditsOf(priceOf(contract, request, (config as Record<string, unknown>)[`${contract.id}_CREDITS`] as number));
}
