import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { until } from '@overheard/testing';
import { type Program, spawnProgram } from '../scripts/lib/supervisor.mjs';

const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 35_000;
const LINES_KEPT = 5000;

/** A built service, or a server, as a process that ends with the test that started it, and that nobody starts again by himself. */
export class ProgramProcess {
  /** What it wrote, over all its lives, unless that goes to a file. */
  readonly lines: string[] = [];
  private child: ChildProcess | undefined;

  constructor(readonly program: Program) {}

  get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined;
  }

  /** Starts it, once more if need be, with more settings for this life if need be, and waits until it is ready. */
  async start(env: NodeJS.ProcessEnv = {}): Promise<void> {
    const { program } = this;
    program.beforeStart?.();
    const child = (this.child = spawnProgram({ ...program, env: { ...program.env, ...env } }));
    for (const output of [child.stdout, child.stderr]) if (output) createInterface({ input: output }).on('line', (line) => this.keep(line));
    await until(`${program.name} to be ready`, () => this.isReady(), READY_WITHIN_MS).catch((error: Error) => {
      throw new Error(`${error.message}; it wrote:\n${this.lines.slice(-30).join('\n')}`);
    });
  }

  /** Ends it at once, as a crash does. */
  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (!this.child || !this.isRunning) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  /** It stands still, with its memory and its connections, until it goes on. */
  freeze(): void {
    this.child?.kill('SIGSTOP');
  }

  goOn(): void {
    this.child?.kill('SIGCONT');
  }

  /** Waits until it has died of itself, or of a failpoint. */
  died = (withinMs?: number): Promise<true> => until(`${this.program.name} to die`, () => !this.isRunning, withinMs);

  /** Ends it as an operator does, and gives its exit status; one that does not end is killed, and that is an error. */
  async stop(): Promise<number | null> {
    let hangs = false;
    const patience = setTimeout(() => {
      hangs = true;
      this.child?.kill('SIGKILL');
    }, STOP_WITHIN_MS);
    await this.kill(this.program.stopSignal);
    clearTimeout(patience);
    // The signal would not tell: a test may have killed it before.
    if (hangs) throw new Error(`${this.program.name} did not end within ${STOP_WITHIN_MS} ms`);
    return this.child?.exitCode ?? null;
  }

  private get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private async isReady(): Promise<boolean> {
    if (!this.isRunning) throw new Error(`${this.program.name} ended with ${this.child?.exitCode ?? this.child?.signalCode}`);
    return this.program.isReady();
  }

  private keep(line: string): void {
    this.lines.push(line);
    if (this.lines.length > LINES_KEPT) this.lines.shift();
  }
}
