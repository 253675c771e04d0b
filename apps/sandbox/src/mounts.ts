import type { Sandbox } from '@overheard/providers/sandboxes';

/** A stand-in and the first part of the path that leads to it. */
export interface Mount {
  provider: string;
  sandbox: Sandbox;
}

/** `SOME_PROVIDER` is served under `/some-provider`. */
export const mountOf = (provider: string): string => provider.toLowerCase().replaceAll('_', '-');

/** Loads every stand-in, by the first part of its path. */
export async function loadMounts(sandboxes: Record<string, () => Promise<Sandbox>>): Promise<Map<string, Mount>> {
  const mounts = new Map<string, Mount>();
  for (const [provider, load] of Object.entries(sandboxes)) mounts.set(mountOf(provider), { provider, sandbox: await load() });
  return mounts;
}
