// Runs a program to its end: quietly, and so that a stop of ours ends it too.
import { spawn } from 'node:child_process';

/**
 * @typedef {object} CommandOptions
 * @property {string} [cwd]
 * @property {NodeJS.ProcessEnv} [env]
 * @property {string} [input] text for its standard input
 * @property {number} [uid]
 * @property {number} [gid]
 * @property {number} [timeoutMs]
 */

/** @type {Set<import('node:child_process').ChildProcess>} */
const running = new Set();
let ending = false;

/** A program that failed; the message ends with the last lines it printed, `output` is all of them. */
class CommandFailed extends Error {
  name = 'CommandFailed';

  /** @param {string} message @param {string} [output] */
  constructor(message, output) {
    super(message);
    this.output = output;
  }
}

/**
 * Runs a program and gives what it printed. It gets a process group of its own, so that what it starts ends with it.
 * @param {string} command
 * @param {string[]} args
 * @param {CommandOptions} [options]
 * @returns {Promise<{ stdout: string, stderr: string }>}
 */
export function run(command, args, { cwd, env = process.env, input = '', uid, gid, timeoutMs } = {}) {
  if (ending) return Promise.reject(new CommandFailed(`${command}: not started, because everything ends`));
  const child = spawn(command, args, { cwd, env, detached: true, stdio: 'pipe', ...(uid === undefined ? {} : { uid, gid }) });
  running.add(child);
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => killGroup(child), timeoutMs);
  const printed = { stdout: '', stderr: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (printed.stdout += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (printed.stderr += text));
  // A program that ends without reading its input is judged by its exit status.
  child.stdin.on('error', () => {}).end(input);
  return new Promise((resolve, reject) => {
    const settle = (/** @type {string | undefined} */ fault) => {
      clearTimeout(timer);
      running.delete(child);
      if (fault === undefined) resolve(printed);
      else reject(new CommandFailed(`${[command, ...args].join(' ')}: ${fault}${lastLines(printed)}`, (printed.stdout + printed.stderr).trim()));
    };
    child.once('error', (error) => settle(error.message));
    child.once('close', (code, signal) => settle(code === 0 ? undefined : `ended with ${signal ?? `exit status ${code}`}`));
  });
}

/** Ends whatever `run` is still waiting for, and lets it start nothing more. */
export function endRunning() {
  ending = true;
  for (const child of running) killGroup(child);
}

/** @param {import('node:child_process').ChildProcess} child */
function killGroup(child) {
  if (child.pid === undefined) return;
  try {
    process.kill(-child.pid, 'SIGTERM');
  } catch {
    // It has ended by itself.
  }
}

/** @param {{ stdout: string, stderr: string }} printed */
function lastLines({ stdout, stderr }) {
  const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => line.trim() !== '');
  return lines
    .slice(-15)
    .map((line) => `\n    ${line}`)
    .join('');
}
