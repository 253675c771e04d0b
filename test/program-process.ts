import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { until } from '@overheard/testing';

const root = join(import.meta.dirname, '..');
const READY_WITHIN_MS = 90_000;
const STOP_WITHIN_MS = 35_000;
const LINES_KEPT = 5000;

/** One built service as a process of its own, which ends with the test that started it. */
export class ServiceProcess {
  /** What it wrote, over all its lives. */
  readonly lines: string[] = [];
  private child: ChildProcess | undefined;

  constructor(
    readonly name: string,
    private readonly env: NodeJS.ProcessEnv,
  ) {}

  get pid(): number | undefined {
    return this.isRunning ? this.child?.pid : undefined;
  }

  get healthUrl(): string {
    return `http://127.0.0.1:${this.env['HEALTH_PORT']}`;
  }

  /** Starts it, once more if need be, and waits until its dependencies answer. */
  async start(): Promise<void> {
    const child = spawn(process.execPath, [join(root, 'dist', `${this.name}.js`)], { cwd: root, env: this.env, stdio: ['pipe', 'pipe', 'pipe'] });
    this.child = child;
    // What a process that was killed still had to say is lost, and nobody minds.
    child.stdin.on('error', () => undefined);
    for (const output of [child.stdout, child.stderr]) createInterface({ input: output }).on('line', (line) => this.keep(line));
    await until(`${this.name} to be ready`, () => this.isReady(), READY_WITHIN_MS).catch((error: Error) => {
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

  /** Ends it as an operator does, and gives its exit status; one that does not end is killed, and that is an error. */
  async stop(): Promise<number | null> {
    const hung = setTimeout(() => this.child?.kill('SIGKILL'), STOP_WITHIN_MS);
    await this.kill('SIGTERM');
    clearTimeout(hung);
    if (this.child?.signalCode === 'SIGKILL') throw new Error(`${this.name} did not end within ${STOP_WITHIN_MS} ms`);
    return this.child?.exitCode ?? null;
  }

  private get isRunning(): boolean {
    return this.child !== undefined && this.child.exitCode === null && this.child.signalCode === null;
  }

  private async isReady(): Promise<boolean> {
    if (!this.isRunning) throw new Error(`${this.name} ended with ${this.child?.exitCode ?? this.child?.signalCode}`);
    return fetch(`${this.healthUrl}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    );
  }

  private keep(line: string): void {
    this.lines.push(line);
    if (this.lines.length > LINES_KEPT) this.lines.shift();
  }
}
