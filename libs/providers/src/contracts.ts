import { aimodeContract } from './aimode/contract.js';
import { chatgptContract } from './chatgpt/contract.js';
import type { ProviderContract } from './contract.js';
import { copilotContract } from './copilot/contract.js';
import { geminiContract } from './gemini/contract.js';
import { googleContract } from './google/contract.js';
import { googleNewsContract } from './google-news/contract.js';
import { grokContract } from './grok/contract.js';
import { perplexityContract } from './perplexity/contract.js';

export * from './contract.js';

/** Every provider that may be asked, in the order people see them. */
export const contracts: readonly ProviderContract<any, any>[] = [
  chatgptContract,
  perplexityContract,
  grokContract,
  geminiContract,
  copilotContract,
  aimodeContract,
  googleContract,
  googleNewsContract,
];

const byId = new Map(contracts.map((contract) => [contract.id, contract]));

/** The contract of a task type, or undefined. */
export const contractOf = (id: string): ProviderContract<any, any> | undefined => byId.get(id);
