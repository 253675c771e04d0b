// Free ports on loopback, the same ones at every start where that is possible.
import { createServer } from 'node:net';
import { randomInt } from 'node:crypto';

// Below the range from which systems pick the near end of outgoing connections: a service that is started again must find its port free.
const [LOWEST, HIGHEST] = [18_000, 32_000];

/**
 * A free port for each name: the one it had before, else another.
 * @param {string[]} names
 * @param {Record<string, number>} before
 * @returns {Promise<Record<string, number>>}
 */
export async function choosePorts(names, before) {
  /** @type {import('node:net').Server[]} */
  const held = [];
  /** @type {Record<string, number>} */
  const ports = {};
  // All are held until each name has one, so that none is given away twice.
  for (const name of names) {
    let port = before[name] ?? randomInt(LOWEST, HIGHEST);
    let server = await hold(port);
    while (!server) server = await hold((port = randomInt(LOWEST, HIGHEST)));
    held.push(server);
    ports[name] = port;
  }
  await Promise.all(held.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** @param {number} port */
export async function isFree(port) {
  const server = await hold(port);
  if (!server) return false;
  await new Promise((resolve) => server.close(resolve));
  return true;
}

/** @param {number} port @returns {Promise<import('node:net').Server | undefined>} */
function hold(port) {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(undefined));
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => resolve(server));
  });
}
