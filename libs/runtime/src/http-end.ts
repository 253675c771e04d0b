import type { Server, ServerResponse } from 'node:http';

const LOOK_EVERY_MS = 100;
/** As long as a worker has to finish what it has (docs/operations.md, Health). */
const DRAIN_MS = 25_000;

/**
 * Lets an HTTP server end although clients stay connected: gives what closes it, which cuts off whoever is connected once
 * nothing is being answered, and after 25 s whatever is. Closing alone waits for connections on which nothing has been
 * asked yet, which to Node are busy; browsers and load balancers open such ones beforehand.
 */
export function endable(server: Server): (close: () => Promise<unknown>) => Promise<void> {
  const open = new Set<ServerResponse>();
  server.on('request', (_request, response: ServerResponse) => {
    open.add(response);
    response.once('close', () => open.delete(response));
  });
  // An answer that is queued behind another does not hear of it when its connection breaks.
  const isAnswering = () => [...open].some(({ req }) => !req.socket.destroyed);
  return async (close) => {
    const endsAt = performance.now() + DRAIN_MS;
    const looking = setInterval(() => {
      if (!isAnswering() || performance.now() > endsAt) server.closeAllConnections();
    }, LOOK_EVERY_MS);
    await close().finally(() => clearInterval(looking));
  };
}
