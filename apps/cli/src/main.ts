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

// Each command loads what it needs and no more: many are run, one after another.
async function run(): Promise<void> {
  switch (command) {
    case 'admin':
      return print(await (await import('./admin/admin.js')).admin(words));
    case 'extract':
      for await (const result of (await import('./extract.js')).extract(words)) print(result);
      return;
    case 'providers':
      return print(await (await import('./providers.js')).providers());
    case 'setup':
      return print(await (await import('./setup.js')).setup());
    case 'migrate':
      return print(await (await import('./setup.js')).migrateOnly());
    default:
      throw new UsageError('usage: main.js admin | extract | providers | setup | migrate');
  }
}
