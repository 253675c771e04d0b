import { admin } from './admin/admin.js';
import { extract } from './extract.js';
import { providers } from './providers.js';
import { migrateOnly, setup } from './setup.js';
import { UsageError } from './usage-error.js';

const [command, ...words] = process.argv.slice(2);

const print = (value: unknown): void => void process.stdout.write(`${JSON.stringify(value, null, command === 'extract' ? undefined : 2)}\n`);

try {
  await run();
} catch (error) {
  const { message } = error as Error;
  process.stderr.write(`${error instanceof UsageError ? message : message.replace(/\s*\n\s*/g, ' ')}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}

async function run(): Promise<void> {
  switch (command) {
    case 'admin':
      return print(await admin(words));
    case 'extract':
      for await (const result of extract(words)) print(result);
      return;
    case 'providers':
      return print(await providers());
    case 'setup':
      return print(await setup());
    case 'migrate':
      return print(await migrateOnly());
    default:
      throw new UsageError('usage: main.js admin | extract | providers | setup | migrate');
  }
}
