import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import * as z from 'zod';

const CIPHER = 'aes-256-gcm';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

export const encryptionConfig = z.object({
  ENCRYPTION_KEY: z
    .base64('Expected 32 bytes in base64')
    .transform((text) => Buffer.from(text, 'base64'))
    .refine((key) => key.length === KEY_BYTES, 'Expected 32 bytes in base64')
    .describe('Key under which signing secrets are stored: 32 random bytes in base64, such as `openssl rand -base64 32` gives'),
});

/** What is stored was encrypted under another key, for another owner, or is damaged. */
export class Undecipherable extends Error {
  override name = 'Undecipherable';
}

/** Encrypts a text for storage; only the same key and owner read it again. */
export function encrypt(key: Buffer, owner: string, text: string): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  const cipher = createCipheriv(CIPHER, key, nonce).setAAD(Buffer.from(owner));
  const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
  return Buffer.concat([nonce, cipher.getAuthTag(), sealed]);
}

/** Reads what `encrypt` made. Throws `Undecipherable`. */
export function decrypt(key: Buffer, owner: string, stored: Buffer): string {
  const nonce = stored.subarray(0, NONCE_BYTES);
  const tag = stored.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
  try {
    const decipher = createDecipheriv(CIPHER, key, nonce, { authTagLength: TAG_BYTES }).setAAD(Buffer.from(owner)).setAuthTag(tag);
    return decipher.update(stored.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch (cause) {
    throw new Undecipherable('a stored secret does not open with this ENCRYPTION_KEY', { cause });
  }
}
