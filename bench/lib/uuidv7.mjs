import { randomUUID } from 'node:crypto';

/** An id as the gateway makes them: it begins with the time. */
export function uuidv7() {
  const hex = Date.now().toString(16).padStart(12, '0');
  return `${hex.slice(0, 8)}-${hex.slice(8)}-7${randomUUID().slice(15)}`;
}
