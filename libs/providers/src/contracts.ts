import type { ProviderContract } from './contract.js';
import { chatgptContract } from './chatgpt/contract.js';

export * from './contract.js';

/** Every provider that may be asked, in the order people see them. */
export const contracts: readonly ProviderContract<any, any>[] = [chatgptContract];

const byId = new Map(contracts.map((contract) => [contract.id, contract]));

/** The contract of a task type, or undefined. */
export const contractOf = (id: string): ProviderContract<any, any> | undefined => byId.get(id);
