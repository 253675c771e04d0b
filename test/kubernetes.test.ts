import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { busConfig, LANES, Names } from '@overheard/bus';
import { contracts } from '@overheard/providers/contracts';
import { parse, parseAllDocuments } from 'yaml';

interface Container {
  ports?: { name: string; containerPort: number }[];
  lifecycle?: { preStop: { exec: { command: string[] } } };
  env?: { name: string; value?: string; valueFrom?: { secretKeyRef: { name: string; key: string } } }[];
}
interface Workload {
  kind: string;
  metadata: { name: string };
  spec: { template: { metadata: { labels: Record<string, string> }; spec: { containers: [Container]; terminationGracePeriodSeconds?: number } } };
}
interface Policy {
  metadata: { name: string };
  spec: {
    podSelector: { matchLabels?: Record<string, string>; matchExpressions?: [{ values: string[] }] };
    policyTypes: string[];
    ingress?: unknown;
    egress?: unknown;
  };
}
interface ScaledObject {
  spec: {
    minReplicaCount: number;
    advanced: { scalingModifiers: { formula: string } };
    triggers: { name: string; metadata: { stream: string; consumer: string } }[];
  };
}

const root = join(import.meta.dirname, '..');
const folder = join(root, 'deploy', 'kubernetes');
const documents = (path: string) => parseAllDocuments(readFileSync(join(folder, path), 'utf8')).map((document) => document.toJS());

const COMPONENT = 'app.kubernetes.io/component';
const { resources, namespace } = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as { resources: string[]; namespace: string };
const all = resources.filter((path) => path.endsWith('.yaml')).flatMap(documents);
const [worker] = documents('worker/deployment.yaml') as [Workload];
const workloads = [...all.filter(({ kind }) => kind === 'Deployment' || kind === 'Job'), worker] as Workload[];
const [settings] = documents('settings.yaml') as [{ data: Record<string, string> }];
const providers = readdirSync(join(folder, 'workers')).map(
  (name) => documents(`workers/${name}/provider.yaml`)[0] as { metadata: { name: string }; data: object },
);

describe('the manifests for Kubernetes', () => {
  test('run every service of the product, and one worker a provider', () => {
    const services = readdirSync(join(root, 'apps')).filter((app) => app !== 'cli');
    expect(
      workloads
        .filter(({ kind }) => kind === 'Deployment')
        .map(componentOf)
        .sort(),
    ).toEqual(services.sort());
    expect(providers.map(({ metadata, data }) => [metadata.name, data]).sort()).toEqual(
      contracts.map(({ id }) => [`worker-${id.toLowerCase().replaceAll('_', '-')}`, { PROVIDERS: id }]).sort(),
    );
    expect(resources.filter((path) => path.startsWith('workers/'))).toEqual(readdirSync(join(folder, 'workers')).map((name) => `workers/${name}`));
  });

  test('scale a provider by the streams and consumers of its lanes, all of them together', () => {
    const [{ spec }] = documents('worker/scaling.yaml') as [ScaledObject];
    const names = new Names(settings.data['NATS_PREFIX'] ?? busConfig.shape.NATS_PREFIX.parse(undefined));
    const lanes = LANES.map((lane) => ({ name: lane, ...names.lane('PROVIDER', lane) }));
    expect(spec.triggers.map(({ name, metadata: { stream, consumer } }) => ({ name, stream, durable: consumer }))).toEqual(lanes);
    expect(spec.advanced.scalingModifiers.formula.split(' + ')).toEqual(LANES);
    // The consumers are made by a worker that starts.
    expect(spec.minReplicaCount).toBeGreaterThan(0);
  });

  test('set nothing that no service reads, and all that a service does not start without', () => {
    const page = readFileSync(join(root, 'docs/configuration.md'), 'utf8');
    const read = [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    const forKeda = ['NATS_MONITORING', 'NATS_ACCOUNT'];
    expect(Object.keys(settings.data).filter((name) => !read.includes(name) && !forKeda.includes(name))).toEqual([]);
    for (const workload of workloads) {
      const section = page.split(/^## /m).find((text) => text.startsWith(`${componentOf(workload)}\n`)) ?? '';
      const required = [...section.matchAll(/^\| `(\w+)` \| required/gm)].map(([, name]) => name);
      const given = [...Object.keys(settings.data), ...variablesOf(workload), ...(workload === worker ? ['PROVIDERS'] : [])];
      expect({ of: componentOf(workload), missing: required.filter((name) => !given.includes(name ?? '')) }).toEqual({
        of: componentOf(workload),
        missing: [],
      });
    }
  });

  test('hold no secret, and give each service those alone that it reads', () => {
    expect(all.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const [servers] = documents('secrets.example.yaml') as [{ metadata: { name: string }; stringData: object }];
    for (const workload of workloads) {
      for (const { name, valueFrom } of workload.spec.template.spec.containers[0].env ?? []) {
        expect(valueFrom?.secretKeyRef).toEqual({ name: servers.metadata.name, key: name });
        expect(Object.keys(servers.stringData)).toContain(name);
      }
    }
    expect(variablesOf(worker)).toEqual(['NATS_URL']);
  });

  test('let nobody talk to anybody but those who have the address of a server', () => {
    const policies = new Map((documents('network.yaml') as Policy[]).map((policy) => [policy.metadata.name, policy.spec]));
    expect(policies.get('nothing')).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] });
    for (const [policy, variable] of [
      ['nats', 'NATS_URL'],
      ['postgres', 'DATABASE_URL'],
      ['redis', 'REDIS_URL'],
    ] as const) {
      const { matchLabels = {}, matchExpressions } = policies.get(policy)?.podSelector ?? {};
      const allowed = matchExpressions?.[0].values ?? Object.values(matchLabels);
      const asking = workloads.filter((workload) => variablesOf(workload).includes(variable)).map(componentOf);
      expect({ policy, allowed: [...allowed].sort() }).toEqual({ policy, allowed: asking.sort() });
    }
  });

  test('let Prometheus find every service by what prometheus-kubernetes.yaml looks for, and reach it there', () => {
    const path = join(root, 'deploy/observability/prometheus-kubernetes.yaml');
    const [{ relabel_configs: rules }] = parse(readFileSync(path, 'utf8')).scrape_configs as [
      { relabel_configs: { source_labels: [string]; [key: string]: unknown }[] },
    ];
    const ruleOf = (label: string) => rules.find(({ source_labels: [name] }) => name === `__meta_kubernetes_${label}`);
    expect(ruleOf('namespace')).toMatchObject({ action: 'keep', regex: namespace });
    const [common] = documents('every-service.yaml') as [Workload];
    const [port] = common.spec.template.spec.containers[0].ports ?? [];
    expect(ruleOf('pod_container_port_name')).toMatchObject({ action: 'keep', regex: port?.name });
    // Prometheus writes an underscore for what it has not in the names of labels.
    expect(ruleOf(`pod_label_${COMPONENT.replace(/\W/g, '_')}`)).toMatchObject({ target_label: 'service' });
    const allowed = (documents('network.yaml') as Policy[]).find(({ metadata }) => metadata.name === 'metrics')?.spec.ingress;
    expect(allowed).toMatchObject([{ ports: [{ port: port?.containerPort }] }]);
  });

  test('give every service longer to end than it takes to drain', () => {
    const [common] = documents('every-service.yaml') as [Workload];
    const { containers, terminationGracePeriodSeconds } = common.spec.template.spec;
    const beforeS = Number(containers[0].lifecycle?.preStop.exec.command[1]);
    expect(terminationGracePeriodSeconds).toBeGreaterThan(beforeS + 32);
  });
});

const componentOf = ({ spec }: Workload): string => spec.template.metadata.labels[COMPONENT] ?? '';
const variablesOf = ({ spec }: Workload): string[] => (spec.template.spec.containers[0].env ?? []).map(({ name }) => name);
