import { once } from 'node:events';
import { sandboxes } from '@overheard/providers/sandboxes';
import { boot } from '@overheard/runtime';
import { config } from './config.js';
import { loadMounts } from './mounts.js';
import { createSandboxServer } from './server.js';

await boot({
  name: 'sandbox',
  config,
  async start({ config: { HOST, PORT }, logger }) {
    const mounts = await loadMounts(sandboxes);
    const server = createSandboxServer({ mounts, onError: (error) => logger.error({ err: error }, 'could not answer a call') });
    server.listen(PORT, HOST);
    await once(server, 'listening');
    logger.info({ address: server.address(), mounts: [...mounts.keys()] }, 'listening');
    return {
      ready: async () => {},
      async stop() {
        server.close();
        server.closeAllConnections();
      },
    };
  },
});
