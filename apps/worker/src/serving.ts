import type { UpstreamRoute } from '@overheard/contracts';
import { contractOf } from '@overheard/providers/contracts';
import { type Engine, loadEngine } from '@overheard/providers/engines';
import { readConfig } from '@overheard/runtime';
import type { Config } from './config.js';

/** A provider as this worker serves it. */
export interface Served {
  id: string;
  label: string;
  engine: Engine<unknown, unknown> | undefined;
  sandboxUrl: string | undefined;
  /** Where a request really goes; undefined when nothing can answer it. */
  route(wanted: UpstreamRoute): UpstreamRoute | undefined;
}

/** Loads the engines of the providers named in the settings. Throws for one that does not exist. */
export function loadServed(config: Config): Promise<Served[]> {
  return Promise.all(config.PROVIDERS.map((id) => serve(id, config)));
}

async function serve(id: string, { SANDBOX_URL, UPSTREAM_FALLBACK }: Config): Promise<Served> {
  const contract = contractOf(id);
  if (!contract) throw new Error(`PROVIDERS names ${id}, which is no provider`);
  const module = await loadEngine(id);
  const engine = module?.create(readConfig(module.settings));
  const sandboxUrl = SANDBOX_URL && `${SANDBOX_URL}/${id.toLowerCase().replaceAll('_', '-')}`;
  const fallback = UPSTREAM_FALLBACK === 'sandbox' && sandboxUrl ? 'sandbox' : undefined;
  return {
    id,
    label: contract.label,
    engine,
    sandboxUrl,
    route: (wanted) => (wanted === 'sandbox' ? sandboxUrl && 'sandbox' : engine?.live ? 'live' : fallback) as UpstreamRoute | undefined,
  };
}
