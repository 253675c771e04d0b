import { readFileSync } from 'node:fs';
import { beforeAll, expect, test } from '@jest/globals';
import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { RouteSettings } from '../door/route-table.js';
import { controllers } from '../gateway.js';
import { httpServer } from '../http-server.js';
import { openapiDocument } from './document.js';
import { referencePage } from './reference-page.js';

interface Registered extends RouteSettings {
  route: string;
}

const document = openapiDocument();
let registered: Registered[];
beforeAll(async () => void (registered = await registeredRoutes()));

/** Every operation of the document. */
const operations = Object.entries<Record<string, any>>(document['paths']).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ route: `${method.toUpperCase()} ${path}`, operation })),
);

test('every route that the gateway registers is in the document, and no other', () => {
  expect(registered.length).toBeGreaterThan(15);
  expect(operations.map(({ route }) => route).sort()).toEqual(registered.map(({ route }) => route).sort());
});

test('a route needs the key and the scope that the document says', () => {
  const said = operations.map(({ route, operation }) => [route, operation.security?.length === 0, operation['x-required-scope']]);
  const asked = registered.map(({ route, open = false, scope }) => [route, open, scope]);
  expect(said.sort()).toEqual(asked.sort());
});

test('docs/api/openapi.json says the same: node scripts/openapi.mjs writes it', () => {
  const committed = readFileSync(new URL('../../../../docs/api/openapi.json', import.meta.url), 'utf8');
  expect(JSON.parse(committed)).toEqual(JSON.parse(JSON.stringify(document)));
});

test('the reference page tells of every operation and every schema, and loads nothing', () => {
  const page = referencePage(document);
  for (const { operation } of operations) expect(page).toContain(`id="${operation.operationId}"`);
  for (const name of Object.keys(document['components'].schemas)) expect(page).toContain(`id="schema-${name}"`);
  const targets = [...page.matchAll(/href="#([^"]+)"/g)].map(([, target]) => target);
  expect(targets.filter((target) => !page.includes(`id="${target}"`))).toEqual([]);
  expect(page).not.toMatch(/<script|src=|href="http|url\(|@import/);
  expect(page.length).toBeLessThan(1_000_000);
});

/** What Fastify registers for the gateway's controllers; what they work with is not needed for that. */
async function registeredRoutes(): Promise<Registered[]> {
  const adapter = httpServer();
  const routes: Registered[] = [];
  adapter.getInstance().addHook('onRoute', ({ method, url, config }) => {
    const path = url.replace(/:(\w+)/g, '{$1}').replace('*', '{page}');
    // Fastify answers HEAD wherever it answers GET.
    for (const one of [method].flat().filter((name) => name !== 'HEAD')) routes.push({ route: `${one} ${path}`, ...(config as RouteSettings) });
  });
  const tokens = new Set(
    controllers.flatMap((controller) => (Reflect.getMetadata('self:paramtypes', controller) ?? []).map(({ param }: { param: unknown }) => param)),
  );
  const providers = [...tokens].map((provide) => ({ provide: provide as string, useValue: {} }));
  class Routes {}
  const app = await NestFactory.create<NestFastifyApplication>({ module: Routes, controllers: [...controllers], providers }, adapter, {
    logger: false,
    bodyParser: false,
  });
  await app.init();
  await app.close();
  return routes;
}
