import { existsSync } from 'node:fs';
import { join } from 'node:path';
import staticFiles from '@fastify/static';
import { Controller, Get, Req, Res } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RouteSettings } from './access/access.js';
import { unknown } from './problem.js';

/** Beside the compiled program, and beside the bundle in `dist/`. */
const PLACES = ['../web/dist', '../apps/dashboard/web/dist'].map((place) => join(import.meta.dirname, place));

/** Serves what Vite has made; assets have a digest in their names, so they never change. */
export async function servePages(server: FastifyInstance, storageUrl: string): Promise<void> {
  const headers = {
    'content-security-policy': policy(new URL(storageUrl).origin),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  };
  server.addHook('onRequest', async (_request, reply) => void reply.headers(headers));
  const root = PLACES.find((place) => existsSync(place));
  if (!root) return;
  await server.register(staticFiles, {
    root,
    wildcard: false,
    index: false,
    cacheControl: false,
    setHeaders: (reply, path) => void reply.header('cache-control', path.startsWith(join(root, 'assets')) ? 'public, max-age=31536000, immutable' : 'no-cache'),
  });
}

/** Nothing from elsewhere, and no script in a page; a stored page of somebody else's is shown in a frame, where its own address sandboxes it. */
const policy = (storage: string): string =>
  [
    `default-src 'none'`,
    `script-src 'self'`,
    // Mantine sets styles on elements.
    `style-src 'self' 'unsafe-inline'`,
    `font-src 'self'`,
    `img-src 'self' data:`,
    `connect-src 'self'`,
    `frame-src ${storage}`,
    `form-action 'self'`,
    `base-uri 'none'`,
    `frame-ancestors 'none'`,
  ].join('; ');

/** Every address that is no file and none of the API's is a page of the one application. */
@Controller()
export class PagesController {
  @Get('/*')
  @RouteConfig({ open: true } satisfies RouteSettings)
  page(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    if (/^\/(api|assets)(\/|$|\?)/.test(request.url)) throw unknown('address here');
    void reply.sendFile('index.html');
  }
}
