// Run by memory.test.ts in a process with little memory: asks each engine that is named on the command line, and says what came of it.
import { contractOf } from '../dist/contracts.js';
import { loadEngine } from '../dist/engines.js';
import { LONG_STREAMS } from './long-streams.mjs';

const [baseUrl] = process.argv.slice(2);

for (const { format, provider, settings } of LONG_STREAMS) {
  const module = await loadEngine(provider);
  const engine = module.create(module.settings.parse(settings(`${baseUrl}/${format}`)));
  const request = contractOf(provider).request.parse({ prompt: 'Which pump is quiet?', country: 'DE' });
  const { result, quality } = await engine.ask({
    request,
    route: 'live',
    sandboxUrl: undefined,
    signal: AbortSignal.timeout(60_000),
    storeHtml: async () => '',
  });
  process.stdout.write(`${JSON.stringify({ format, characters: result.text.length, sources: result.sources.length, status: quality.status })}\n`);
}
