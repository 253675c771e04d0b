// Tells one process from another that got the same pid later, so that only processes of ours are ever ended.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** @typedef {{ pid: number, born: string }} ProcessIdentity `born` is the moment of its start, as the system writes it */

/**
 * The identity of a living process; undefined for one that is gone.
 * @param {number} pid
 * @returns {ProcessIdentity | undefined}
 */
export function identify(pid) {
  const born = existsSync('/proc/self/stat') ? bornByProc(pid) : bornByPs(pid);
  return born === undefined ? undefined : { pid, born };
}

/** @param {ProcessIdentity | undefined} identity */
export function isAlive(identity) {
  return identity !== undefined && identify(identity.pid)?.born === identity.born;
}

/** What a process was started with; empty when it is gone. @param {number} pid */
export function commandLine(pid) {
  try {
    return existsSync('/proc/self/cmdline')
      ? readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
      : execFileSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' });
  } catch {
    return '';
  }
}

/**
 * Ends a process of ours that an earlier run left behind, and waits until it is gone.
 * @param {ProcessIdentity} identity
 * @param {NodeJS.Signals} signal
 * @param {number} graceMs after which it is killed
 */
export async function endProcess(identity, signal, graceMs) {
  send(identity, signal);
  for (const end = Date.now() + graceMs; isAlive(identity) && Date.now() < end;) await sleep(50);
  send(identity, 'SIGKILL');
  while (isAlive(identity)) await sleep(20);
}

/** @param {ProcessIdentity} identity @param {NodeJS.Signals} signal */
function send(identity, signal) {
  try {
    if (isAlive(identity)) process.kill(identity.pid, signal);
  } catch {
    // It ended in between.
  }
}

/** @param {number} pid */
function bornByProc(pid) {
  try {
    // The name in parentheses may hold blanks; the fields after it are counted from the third on.
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ');
    return fields[0] === 'Z' ? undefined : fields[19];
  } catch {
    return undefined;
  }
}

/** @param {number} pid */
function bornByPs(pid) {
  try {
    return execFileSync('ps', ['-o', 'lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim() || undefined;
  } catch {
    return undefined;
  }
}
