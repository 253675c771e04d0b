// A peer as a process of its own, which ends with this one.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { root } from '../../scripts/lib/workspace.mjs';
import { client } from './load.mjs';

/** @param {string} name a file under bench/peers @param {string[]} addresses of the servers it needs */
export async function startPeer(name, ...addresses) {
  const child = fork(join(root, 'bench/peers', `${name}.mjs`), addresses, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  const [port] = await once(child, 'message');
  const api = client(`http://127.0.0.1:${port}`);
  return {
    ...api,
    async stop() {
      await api.close();
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
