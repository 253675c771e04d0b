import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { contracts } from '@overheard/providers/contracts';
import { parse } from 'yaml';

interface Service {
  image: string;
  command?: string[];
  environment?: Record<string, unknown>;
  ports?: string[];
  stop_grace_period?: string;
}

const root = join(import.meta.dirname, '..');
const { services } = parse(readFileSync(join(root, 'docker-compose.yml'), 'utf8'), { merge: true }) as { services: Record<string, Service> };
const ours = Object.entries(services).filter(([, { image }]) => image.startsWith('overheard'));

describe('docker-compose.yml', () => {
  test('runs one worker service a provider, each serving that provider alone', () => {
    const workers = ours.filter(([name]) => name.startsWith('worker-'));
    expect(workers.map(([name]) => name).sort()).toEqual(contracts.map(({ id }) => `worker-${id.toLowerCase().replaceAll('_', '-')}`).sort());
    expect(workers.map(([, { environment }]) => environment?.['PROVIDERS']).sort()).toEqual(contracts.map(({ id }) => id).sort());
  });

  test('runs every service of the product, and its servers', () => {
    expect(Object.keys(services)).toEqual(
      expect.arrayContaining(['postgres', 'nats', 'redis', 'gateway', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox']),
    );
  });

  test('publishes nothing but the API and, on loopback, the dashboard', () => {
    const published = Object.entries(services).filter(([, { ports }]) => ports?.length);
    expect(published.map(([name]) => name)).toEqual(['gateway', 'dashboard']);
    expect(services['dashboard']?.ports?.[0]).toMatch(/^127\.0\.0\.1:/);
  });

  test('gives every service longer to end than it takes to drain', () => {
    for (const [, service] of ours) expect(Number.parseInt(service.stop_grace_period ?? '', 10)).toBeGreaterThan(32);
  });

  test('never falls back to the sandbox for a provider without credentials', () => {
    for (const [, { environment }] of ours) expect(Object.keys(environment ?? {})).not.toContain('UPSTREAM_FALLBACK');
  });
});
