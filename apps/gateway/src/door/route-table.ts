import type { Scope } from '@overheard/contracts';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** What a route says about itself, by Nest's `@RouteConfig`. */
export interface RouteSettings {
  /** The scope it needs; absent: any valid key. */
  scope?: Scope;
  /** Needs no key at all. */
  open?: boolean;
  /** A monitor call or a task creation: in the request log, refused ones too (decision L7). */
  logged?: 'sync' | 'async';
  /** Waits for something that takes its time, and looks after its own. */
  waits?: boolean;
  /** The largest body it takes; absent: 1 MiB. */
  bodyMaxBytes?: number;
}

export const settingsOf = (request: FastifyRequest): RouteSettings => (request.routeOptions?.config ?? {}) as RouteSettings;

/** Which methods a path knows, gathered while the routes register themselves; for 405 and `Allow` (decision S6). */
export class RouteTable {
  private readonly routes: { path: RegExp; method: string }[] = [];

  constructor(server: FastifyInstance) {
    server.addHook('onRoute', (route) => {
      const { url, method, config } = route;
      const { bodyMaxBytes } = (config ?? {}) as RouteSettings;
      if (bodyMaxBytes !== undefined) route.bodyLimit = bodyMaxBytes;
      const path = new RegExp(`^${url.replace(/:\w+/g, '[^/]+')}$`);
      for (const one of [method].flat()) this.routes.push({ path, method: one });
    });
  }

  methodsOf(url: string): string[] {
    const path = url.split('?')[0] ?? '';
    return this.routes.filter((route) => route.path.test(path)).map(({ method }) => method);
  }
}
