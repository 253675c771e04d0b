import type { EngineModule } from './engine.js';

export * from './engine.js';

/** Who answers for each provider, loaded only when a worker or `extract` asks for it. */
const engines: Record<string, () => Promise<EngineModule<any, any, any>>> = {
  CHATGPT: () => import('./chatgpt/engine.js').then((module) => module.chatgptEngine),
};

/** The engine of a provider; undefined for a provider that has none yet. */
export async function loadEngine(id: string): Promise<EngineModule<any, any, any> | undefined> {
  return engines[id]?.();
}
