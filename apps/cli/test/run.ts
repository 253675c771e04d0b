import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../../..');
const MAIN = join(root, 'dist/cli.js');

export interface Ran {
  status: number | null;
  out: string;
  err: string;
}

/** Runs the command line as an operator's shell does, with nothing in the environment but what is given. */
export async function run(words: string[], { env = {}, cwd = root }: { env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<Ran> {
  const child = spawn(process.execPath, [MAIN, ...words], { cwd, env: { PATH: process.env['PATH'], ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  const status = new Promise<number | null>((resolve) => child.once('exit', resolve));
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr)]);
  return { status: await status, out, err };
}
