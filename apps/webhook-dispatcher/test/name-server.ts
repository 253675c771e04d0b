import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** Addresses of a name; null: stay silent. A name that is not listed does not exist. */
export type Zone = (name: string) => string[] | null | undefined;

/** A name server on loopback. Returns its address and what was asked. */
export async function serveNames(zone: Zone) {
  const asked: string[] = [];
  const socket = createSocket('udp4');
  socket.on('message', (query, from) => {
    const { name, type, end } = question(query);
    asked.push(name);
    const addresses = zone(name);
    if (addresses === null) return;
    const records = (addresses ?? []).filter((address) => isIPv6(address) === (type === AAAA)).map((address) => record(type, address));
    const head = Buffer.from(query.subarray(0, 12));
    head.writeUInt16BE(addresses === undefined ? 0x8183 : 0x8180, 2);
    head.writeUInt16BE(records.length, 6);
    head.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([head, query.subarray(12, end), ...records]), from.port, from.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, asked, close: () => socket.close() };
}

const AAAA = 28;

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length > 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.').toLowerCase(), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** An answer record for the question's own name. */
function record(type: number, address: string): Buffer {
  const bytes = type === AAAA ? ipv6Bytes(address) : Buffer.from(address.split('.').map(Number));
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(0, 6);
  head.writeUInt16BE(bytes.length, 10);
  return Buffer.concat([head, bytes]);
}

function ipv6Bytes(address: string): Buffer {
  const [before = '', after = ''] = address.split('::');
  const groups = (text: string) => (text ? text.split(':') : []);
  const missing = 8 - groups(before).length - groups(after).length;
  const all = [...groups(before), ...Array.from({ length: missing }, () => '0'), ...groups(after)];
  return Buffer.from(all.map((group) => group.padStart(4, '0')).join(''), 'hex');
}
