import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Bus } from '@overheard/bus';
import { addressOf } from '@overheard/testing';
import { onPath } from '../../scripts/lib/packages.mjs';
import type { Stack } from '../stack.js';

/** The pg_dump of this machine; undefined where there is none. */
export const PG_DUMP = onPath('pg_dump') ?? beside(onPath('postgres'));

function beside(postgres: string | undefined): string | undefined {
  const path = postgres && join(dirname(postgres), 'pg_dump');
  return path && existsSync(path) ? path : undefined;
}

/** What pg_dump writes of a stack's database. */
export async function dumpOf(stack: Stack): Promise<string> {
  const url = new URL(stack.service('gateway').program.env['DATABASE_URL'] ?? addressOf('DATABASE_URL'));
  const { stdout } = await promisify(execFile)(String(PG_DUMP), ['--dbname', url.href], { maxBuffer: 2 ** 30 });
  return stdout;
}

/** Every message of every stream, object stores too, as text: subject and payload. */
export async function messagesOf({ manager, names }: Bus): Promise<string[]> {
  const found: string[] = [];
  const ours = (name: string): boolean => name.startsWith(names.stream('')) || name.startsWith(`OBJ_${names.bucket('')}`);
  for await (const { config, state } of manager.streams.list()) {
    if (!ours(config.name)) continue;
    for (let seq = state.first_seq; seq <= state.last_seq; seq += 1) {
      const message = await manager.streams.getMessage(config.name, { seq }).catch(() => null);
      if (message) found.push(`${config.name} ${message.subject} ${new TextDecoder().decode(message.data)}`);
    }
  }
  return found;
}

/** The forms in which a text may stand in a dump: as it is, and as bytes. */
export const formsOf = (text: string): string[] => [text, Buffer.from(text).toString('hex'), Buffer.from(text).toString('base64').replace(/=+$/, '')];
