import { readFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { UpstreamFailure } from '@overheard/contracts';
import { contractOf } from '@overheard/providers/contracts';
import { loadEngine, type ExtractOptions } from '@overheard/providers/engines';
import { readConfig } from '@overheard/runtime';
import { CommandFailed, UsageError } from './usage-error.js';

const USAGE = 'usage: npm run --silent extract -- PROVIDER FILE… [--format NAME] [--country CC], or --batch LIST';

/** `extract …`: runs a provider's extraction over stored answers; yields what is printed, one JSON object each. */
export async function* extract(words: string[]): AsyncGenerator<unknown> {
  const { values, positionals } = parse(words);
  if (values.batch !== undefined) {
    for (const line of (await read(values.batch)).split('\n').filter(Boolean)) {
      const [provider = '', format = '', file = ''] = line.split('\t');
      yield await extractOne(provider, [file], { format: format || undefined });
    }
    return;
  }
  const [provider, ...files] = positionals;
  if (provider === undefined || files.length === 0) throw new UsageError(USAGE);
  yield await extractOne(provider, files, values);
}

async function extractOne(provider: string, files: string[], { format, country }: ExtractOptions): Promise<unknown> {
  if (!contractOf(provider)) throw new UsageError(`${provider} is no provider\n${USAGE}`);
  const module = await loadEngine(provider);
  if (!module) throw new CommandFailed(`${provider} has no engine in this version`);
  const stored = await Promise.all(files.map(async (file) => ({ name: basename(file), text: await read(file) })));
  try {
    return await module.create(readConfig(module.settings)).extract(stored, { format, country });
  } catch (error) {
    if (!(error instanceof UpstreamFailure)) throw error;
    return { error: { reason: error.reason, message: error.message, retryable: error.retryable } };
  }
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new CommandFailed(`${file} can not be read: ${(error as Error).message}`);
  }
}

function parse(words: string[]) {
  try {
    return parseArgs({ args: words, allowPositionals: true, options: { format: { type: 'string' }, country: { type: 'string' }, batch: { type: 'string' } } });
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n${USAGE}`);
  }
}
