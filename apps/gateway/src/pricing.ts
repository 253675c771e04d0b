import { creditsOf, type LineItem, priceOf, type ProviderContract } from '@overheard/providers/contracts';
import type { Config } from './config.js';

/** What a request costs here, line by line: the contract's price with the operator's base. */
export function lineItemsFor(contract: ProviderContract, request: unknown, config: Config): LineItem[] {
  return priceOf(contract, request, (config as Record<string, unknown>)[`${contract.id}_CREDITS`] as number);
}

export const creditsFor = (contract: ProviderContract, request: unknown, config: Config): number => creditsOf(lineItemsFor(contract, request, config));
