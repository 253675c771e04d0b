// The whole product, as `npm start` runs it, in a folder and with servers of its own.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { run } from '../../scripts/lib/command.mjs';
import { programPath } from '../../scripts/lib/programs.mjs';
import { root } from '../../scripts/lib/workspace.mjs';

const WITHIN_MS = 120_000;

/** @param {NodeJS.ProcessEnv} [env] settings of all its services */
export async function startProduct(env = {}) {
  const dataDir = mkdtempSync(join(tmpdir(), 'overheard-bench-'));
  const startedAt = performance.now();
  const child = spawn(process.execPath, ['scripts/start.mjs'], {
    cwd: root,
    env: { ...process.env, PORT: '0', LOG_LEVEL: 'warn', ...env, DATA_DIR: dataDir },
    stdio: 'ignore',
  });
  const exit = once(child, 'exit');
  const runFile = join(dataDir, 'run.json');
  for (const end = Date.now() + WITHIN_MS; !existsSync(runFile); await sleep(20)) {
    if (child.exitCode !== null || Date.now() > end) throw new Error('npm start does not get ready');
  }
  const readyMs = performance.now() - startedAt;
  const facts = JSON.parse(readFileSync(runFile, 'utf8'));
  /** @param {string[]} words */
  const admin = async (...words) =>
    JSON.parse(
      (await run(process.execPath, [programPath(root, 'cli'), 'admin', ...words], { cwd: root, env: { ...process.env, DATABASE_URL: facts.databaseUrl } }))
        .stdout,
    );
  return {
    ...facts,
    dataDir,
    readyMs,
    supervisorPid: /** @type {number} */ (child.pid),
    /** An account that nothing limits, and a key of it. */
    async account() {
      const { accountId } = await admin('account', 'create', '--name', 'bench', '--credits', '1000000000', '--concurrency', '1000000', '--rate', '1000000');
      const { key } = await admin('key', 'create', '--account', accountId);
      return { accountId, headers: { authorization: `Bearer ${key}` } };
    },
    async stop() {
      child.kill('SIGTERM');
      await exit;
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
