import type { EngineModule } from './engine.js';

export * from './engine.js';

/** Who answers for each provider, loaded only when a worker or `extract` asks for it. */
const engines: Record<string, () => Promise<EngineModule<any, any, any>>> = {
  CHATGPT: () => import('./chatgpt/engine.js').then((module) => module.chatgptEngine),
  PERPLEXITY: () => import('./perplexity/engine.js').then((module) => module.perplexityEngine),
  AIMODE: () => import('./aimode/engine.js').then((module) => module.aimodeEngine),
  GOOGLE: () => import('./google/engine.js').then((module) => module.googleEngine),
  GOOGLE_NEWS: () => import('./google-news/engine.js').then((module) => module.googleNewsEngine),
  GROK: () => import('./grok/engine.js').then((module) => module.grokEngine),
  GEMINI: () => import('./gemini/engine.js').then((module) => module.geminiEngine),
  COPILOT: () => import('./copilot/engine.js').then((module) => module.copilotEngine),
};

/** The engine of a provider; undefined for a provider that has none yet. */
export async function loadEngine(id: string): Promise<EngineModule<any, any, any> | undefined> {
  return engines[id]?.();
}
