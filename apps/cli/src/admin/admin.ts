import { withDatabase } from '../servers.js';
import { readOptions } from '../options.js';
import { UsageError } from '../usage-error.js';
import { COMMANDS } from './commands.js';

/** `admin …`: runs one command and gives what it prints. */
export async function admin(words: string[]): Promise<unknown> {
  const name = [words.slice(0, 2).join(' '), words[0] ?? ''].find((candidate) => Object.hasOwn(COMMANDS, candidate));
  const command = name === undefined ? undefined : COMMANDS[name];
  if (name === undefined || !command) throw new UsageError(`there is no command "${words.slice(0, 2).join(' ')}"\n${usage()}`);
  const options = readOptions(words.slice(name.split(' ').length), command.options);
  return withDatabase((database) => command.run(database, options));
}

const usage = (): string =>
  ['usage: npm run --silent admin -- COMMAND', ...Object.entries(COMMANDS).map(([name, command]) => `  ${name} ${command.usage}`)].join('\n');
