/** A server that `npm test` provides, or whoever runs jest alone. */
export function addressOf(variable: 'DATABASE_URL' | 'NATS_URL' | 'REDIS_URL'): string {
  const address = process.env[variable];
  if (!address) throw new Error(`${variable} is not set: run npm test, or name a server`);
  return address;
}
