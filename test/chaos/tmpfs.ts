import { execFileSync } from 'node:child_process';
import { chownSync, chmodSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

export const IS_ROOT = process.getuid?.() === 0;

/** A file system of a few megabytes, which can be filled up. Only root may mount one. */
export class Tmpfs {
  constructor(readonly folder: string) {}

  mount(size: string): void {
    mkdirSync(this.folder, { recursive: true });
    const { uid, gid } = statSync(this.folder);
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', this.folder]);
    chownSync(this.folder, uid, gid);
    chmodSync(this.folder, 0o700);
  }

  /** Leaves no byte free. */
  fill(): void {
    try {
      for (let part = 0; ; part += 1) writeFileSync(join(this.folder, `filler-${part}`), Buffer.alloc(1024 * 1024));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
    }
  }

  free(): void {
    execFileSync('find', [this.folder, '-maxdepth', '1', '-name', 'filler-*', '-delete']);
  }

  unmount(): void {
    execFileSync('umount', [this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}
