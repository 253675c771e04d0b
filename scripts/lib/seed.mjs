// The secrets of an instance: made once, kept beside its data.
import { randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readJson, writeWhole } from './write-whole.mjs';

/** @typedef {{ apiKey: string, accountId: string, admin: { email: string, password: string }, encryptionKey: string, serverPassword: string }} Seed */

/**
 * The seed of a data folder.
 * @param {string} dataDir
 * @returns {Seed}
 */
export function seedOf(dataDir) {
  const path = join(dataDir, 'seed.json');
  const stored = readJson(path);
  if (stored) return stored;
  const seed = {
    apiKey: `sk_live_${randomBytes(32).toString('base64url')}`,
    accountId: randomUUID(),
    admin: { email: 'admin@overheard.local', password: randomBytes(15).toString('base64url') },
    encryptionKey: randomBytes(32).toString('base64'),
    // Hexadecimal, because it stands in addresses and configuration files.
    serverPassword: randomBytes(24).toString('hex'),
  };
  writeWhole(path, seed);
  return seed;
}
