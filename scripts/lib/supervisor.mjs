// Keeps a program running: starts it, starts it again when it dies, ends it.
import { spawn, spawnSync } from 'node:child_process';
import { openSync, closeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {string} command
 * @property {string[]} args
 * @property {NodeJS.ProcessEnv} env
 * @property {string} [cwd]
 * @property {{ uid: number, gid: number }} [user]
 * @property {NodeJS.Signals} stopSignal
 * @property {string} [logFile] where its output goes; else each line goes to `onLine`
 * @property {boolean} [readsParent] whether it ends by itself once its standard input does
 * @property {() => void} [beforeStart]
 * @property {() => Promise<boolean>} isReady
 */

/**
 * @typedef {object} Watcher
 * @property {(program: Program, line: string) => void} onLine
 * @property {(program: Program, text: string) => void} onEvent
 * @property {() => void} onPids a pid has changed
 */

/** The waits before a program is started again: all of them under the two seconds that operations.md promises. */
const RESTART_MS = [50, 200, 500, 1000, 1500];
const POLL_MS = 100;
const STEADY_MS = 30_000;
const DEATHS_BEFORE_READY = 3;

/** One program that is kept running. */
export class Supervised {
  /** @type {import('node:child_process').ChildProcess | undefined} */
  #child;
  #deaths = 0;
  #stopping = false;
  #wasReady = false;
  #lastDeath = '';
  /** @type {Promise<void>} */
  #ended = Promise.resolve();
  #wake = new AbortController();
  /** The process that was started last; while a dead one waits to be started again, the dead one. @type {number | undefined} */
  pid;

  /** @param {Program} program @param {Watcher} watcher */
  constructor(program, watcher) {
    this.program = program;
    this.watcher = watcher;
  }

  start() {
    const { program, watcher } = this;
    const startedAt = Date.now();
    program.beforeStart?.();
    const child = spawnProgram(program);
    this.#child = child;
    this.pid = child.pid;
    for (const stream of [child.stdout, child.stderr]) {
      if (stream) createInterface({ input: stream }).on('line', (line) => watcher.onLine(program, line));
    }
    this.#ended = new Promise((resolve) => {
      const over = (/** @type {string} */ how) => {
        if (this.#child !== child) return;
        this.#child = undefined;
        resolve();
        if (!this.#stopping) void this.#startAgain(how, Date.now() - startedAt);
      };
      child.once('error', (error) => over(error.message));
      child.once('exit', (code, signal) => over(signal ?? `exit status ${code}`));
    });
    watcher.onPids();
  }

  /**
   * Waits until the program is ready; fails when the time is up, or at once when it keeps dying.
   * @param {number} limitMs
   */
  async untilReady(limitMs) {
    for (const end = Date.now() + limitMs; !(this.#child && (await this.program.isReady())); await sleep(POLL_MS)) {
      if (this.#stopping) return;
      if (this.#deaths >= DEATHS_BEFORE_READY) throw new Error(`${this.program.name} does not start: ${this.#lastDeath}${this.#whereToLook()}`);
      if (Date.now() > end) throw new Error(`${this.program.name} is not ready after ${limitMs / 1000} s${this.#whereToLook()}`);
    }
    this.#wasReady = true;
  }

  /** Asks the program to end; kills it when the grace is over. @param {number} graceMs */
  async stop(graceMs) {
    this.#stopping = true;
    this.#wake.abort();
    if (!this.#child) return;
    this.#child.kill(this.program.stopSignal);
    const timer = setTimeout(() => {
      this.watcher.onEvent(this.program, `still running after ${graceMs / 1000} s: killed`);
      this.#child?.kill('SIGKILL');
    }, graceMs);
    await this.#ended;
    clearTimeout(timer);
  }

  /** @param {string} how @param {number} livedMs */
  async #startAgain(how, livedMs) {
    this.#deaths = livedMs > STEADY_MS ? 1 : this.#deaths + 1;
    this.#lastDeath = how;
    this.watcher.onEvent(this.program, `died (${how}); starting it again`);
    const waitMs = RESTART_MS[Math.min(this.#deaths, RESTART_MS.length) - 1];
    await sleep(waitMs, undefined, { signal: this.#wake.signal }).catch(() => {});
    if (this.#stopping) return;
    this.start();
    if (this.#wasReady) await this.#announceReady();
  }

  async #announceReady() {
    const child = this.#child;
    while (this.#child === child && !this.#stopping && !(await this.program.isReady())) await sleep(POLL_MS);
    if (this.#child === child && !this.#stopping) this.watcher.onEvent(this.program, 'ready again');
  }

  #whereToLook() {
    return this.program.logFile ? `; see ${this.program.logFile}` : '';
  }
}

/** @param {Program} program */
export function spawnProgram({ command, args, env, cwd, user, logFile, readsParent }) {
  const log = logFile === undefined ? undefined : openSync(logFile, 'a', 0o600);
  const leash = readsParent ? [] : leashFor();
  const [first = command, ...rest] = [...leash, command, ...args];
  // A process group of its own: a signal to ours (Ctrl-C at a terminal) must not end the servers before the services.
  const child = spawn(first, rest, { cwd, env, detached: true, stdio: [readsParent ? 'pipe' : 'ignore', log ?? 'pipe', log ?? 'pipe'], ...user });
  child.stdin?.on('error', () => {});
  if (log !== undefined) closeSync(log);
  return child;
}

/** @type {string[] | undefined} */
let leash;

/** What makes a program that knows nothing of us end when we are killed: Linux can do that, elsewhere the next start cleans up. */
function leashFor() {
  const words = ['setpriv', '--pdeathsig', 'INT', '--'];
  leash ??= process.platform === 'linux' && spawnSync('setpriv', ['--pdeathsig', 'INT', '--', 'true']).status === 0 ? words : [];
  return leash;
}
