import { connect } from 'node:net';

const LIMIT_MS = 2000;

/**
 * Sends bytes to a port and gives the first ones that come back; an empty answer when nobody listens or nothing comes.
 * @param {{ host: string, port: number }} address
 * @param {string | Buffer} bytes
 * @returns {Promise<string>}
 */
export function talk(address, bytes) {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (/** @type {string} */ answer) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(LIMIT_MS, () => end(''));
    socket.once('connect', () => void (bytes.length > 0 && socket.write(bytes)));
    socket.once('data', (data) => end(data.toString('latin1')));
    socket.once('close', () => end(''));
    socket.once('error', () => end(''));
  });
}

/** Whether somebody listens there. @param {{ host: string, port: number }} address @returns {Promise<boolean>} */
export function answers(address) {
  return new Promise((resolve) => {
    const socket = connect(address);
    const end = (/** @type {boolean} */ listens) => {
      socket.destroy();
      resolve(listens);
    };
    socket.setTimeout(LIMIT_MS, () => end(false));
    socket.once('connect', () => end(true));
    socket.once('error', () => end(false));
  });
}
