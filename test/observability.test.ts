import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, expect, test } from '@jest/globals';
import { until } from '@overheard/testing';
import { parser } from '@prometheus-io/lezer-promql';
import { parse } from 'yaml';
import { type ServiceName, useStack } from './stack.js';

const ROOT = join(import.meta.dirname, '..');
const FOLDER = join(ROOT, 'deploy/observability');
const SERVICES: ServiceName[] = ['gateway', 'worker', 'task-store', 'webhook-dispatcher', 'dashboard', 'sandbox'];
const MEASURED_WITHIN_MS = 180_000;
/** What Prometheus adds to a scrape: a metric of its own, and labels (prometheus.yaml). */
const SCRAPED = new Map([['up', new Set<string>()]]);
const SCRAPE_LABELS = ['service', 'instance'];
/** A part of `/metrics` of every OpenTelemetry exporter. */
const EXPORTERS = ['target_info'];

interface Rule {
  record?: string;
  alert?: string;
  expr: string;
  labels?: object;
  annotations?: object;
}

const read = (...path: string[]) => readFileSync(join(...path), 'utf8');
const yaml = (...path: string[]) => parse(read(...path), { merge: true });

const rules: Rule[] = yaml(FOLDER, 'rules.yaml').groups.flatMap((group: { rules: Rule[] }) => group.rules);
const panels: { name: string; title: string; expr: string }[] = readdirSync(join(FOLDER, 'dashboards')).flatMap((name) =>
  JSON.parse(read(FOLDER, 'dashboards', name)).panels.flatMap(({ title, targets }: any) => targets.map(({ expr }: any) => ({ name, title, expr }))),
);
const expressions = [
  ...rules.map(({ record, alert, expr }) => ({ where: `rules.yaml, ${record ?? alert}`, ...namesIn(expr) })),
  ...panels.map(({ name, title, expr }) => ({ where: `${name}, ${title}`, ...namesIn(expr) })),
];

/** The metrics and labels that an expression names. Throws for what is no PromQL. */
function namesIn(expression: string): { metrics: string[]; labels: string[] } {
  // As Grafana sends it: its variables have their values.
  const promql = expression.replaceAll('$__rate_interval', '5m').replaceAll('$provider', '.*');
  const found = { metrics: [] as string[], labels: [] as string[] };
  parser.parse(promql).iterate({
    enter({ type, name, from, to }) {
      if (type.isError) throw new Error(`no PromQL at ${from}: ${promql}`);
      if (name === 'Identifier') found.metrics.push(promql.slice(from, to));
      if (name === 'LabelName') found.labels.push(promql.slice(from, to));
    },
  });
  return found;
}

/** Each metric of a scrape with the labels that it has. */
function metricsIn(scrape: string): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, name = '', labels = ''] of scrape.matchAll(/^(\w+)(?:\{(.*)\})? /gm)) {
    found.set(name, new Set([...(found.get(name) ?? []), ...[...labels.matchAll(/(\w+)="/g)].map(([, label]) => String(label))]));
  }
  return found;
}

const stack = useStack({ services: SERVICES });
let scraped: Map<string, Set<string>>;
/** What the running product measures, and what rules make of it: a rule's result has the labels that the rule names. */
let measured: Map<string, Set<string>>;

const scrape = async () =>
  metricsIn((await Promise.all(SERVICES.map(async (service) => (await fetch(`${stack.healthUrl(service)}/metrics`)).text()))).join('\n'));
const recorded = rules.flatMap(({ record, expr }) => (record ? [[record, new Set(namesIn(expr).labels)] as const] : []));
const unknownIn = ({ metrics, labels }: (typeof expressions)[number]) => {
  const known = new Set([...SCRAPE_LABELS, ...metrics.flatMap((metric) => [...(measured.get(metric) ?? [])])]);
  return [...metrics.filter((metric) => !measured.has(metric)), ...labels.filter((label) => !known.has(label))];
};

beforeAll(async () => {
  const tenant = await stack.tenant();
  const inbox = `${stack.sandboxUrl}/_inbox/measured`;
  const { body } = await tenant.create({ webhook: { url: inbox } });
  await tenant.ask({ prompt: 'an answer' });
  await tenant.ask({ prompt: 'a failure #badkey' });
  await tenant.ask({ prompt: 'refused', country: 'nowhere' });
  await tenant.over(body.taskId);
  // Some things are measured after the answer, and the lanes every 15 seconds; what never comes is told by the tests.
  const isAllThere = async () => {
    scraped = await scrape();
    measured = new Map([...scraped, ...recorded, ...SCRAPED]);
    return expressions.every((one) => unknownIn(one).length === 0);
  };
  await until('every metric', isAllThere, 60_000).catch(() => undefined);
}, MEASURED_WITHIN_MS);

test.each(expressions)('$where: reads metrics and labels that a running product has', (expression) => {
  expect(expression.metrics).not.toEqual([]);
  expect(unknownIn(expression)).toEqual([]);
});

test('every metric of the product is on a dashboard or in a rule, and in docs/observability.md', () => {
  const used = new Set(expressions.flatMap(({ metrics }) => metrics).map(unitOf));
  const described = read(ROOT, 'docs/observability.md');
  const names = [...scraped.keys()].map(unitOf).filter((name) => !EXPORTERS.includes(name));
  expect(names.filter((name) => !used.has(name))).toEqual([]);
  expect(names.filter((name) => !described.includes(`\`${name}\``))).toEqual([]);
});

test('every alert says how bad it is, what happened, and what to do', () => {
  const said = {
    labels: { severity: expect.stringMatching(/^(critical|warning)$/) },
    annotations: { summary: expect.any(String), description: expect.any(String) },
  };
  for (const rule of rules.filter(({ alert }) => alert)) expect(rule).toMatchObject(said);
});

test('prometheus.yaml scrapes every service of docker-compose.yml', () => {
  const targets = yaml(FOLDER, 'prometheus.yaml').scrape_configs.flatMap((job: any) => job.static_configs.flatMap((group: any) => group.targets));
  const ours = Object.entries<any>(yaml(ROOT, 'docker-compose.yml').services).filter(
    ([, { image, healthcheck }]) => /^overheard/.test(image) && !healthcheck?.disable,
  );
  expect(ours.length).toBeGreaterThan(0);
  expect([...targets].sort()).toEqual(ours.map(([name]) => `${name}:9000`).sort());
});

/** A histogram is three metrics. */
function unitOf(metric: string): string {
  return metric.replace(/_(bucket|count|sum)$/, '');
}
