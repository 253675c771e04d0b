import type { Sandbox } from './sandbox.js';

export * from './sandbox.js';
export * from './steering/steering.js';
export { Tally } from './steering/tally.js';

/** The stand-in upstream of each provider, loaded only by the sandbox. */
export const sandboxes: Record<string, () => Promise<Sandbox>> = {
  CHATGPT: () => import('./chatgpt/sandbox.js').then((module) => module.chatgptSandbox),
  PERPLEXITY: () => import('./perplexity/sandbox.js').then((module) => module.perplexitySandbox),
  GROK: () => import('./grok/sandbox.js').then((module) => module.grokSandbox),
  GEMINI: () => import('./gemini/sandbox.js').then((module) => module.geminiSandbox),
  COPILOT: () => import('./copilot/sandbox.js').then((module) => module.copilotSandbox),
  AIMODE: () => import('./aimode/sandbox.js').then((module) => module.aimodeSandbox),
  GOOGLE: () => import('./google/sandbox.js').then((module) => module.googleSandbox),
  GOOGLE_NEWS: () => import('./google-news/sandbox.js').then((module) => module.googleNewsSandbox),
};
