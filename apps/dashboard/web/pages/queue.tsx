import { Alert, Badge, Group, Paper, SimpleGrid, Text } from '@mantine/core';
import type { OutstandingTasks, Provider, WorkerAlive } from '../../src/api';
import { useProviders, useQueue } from '../api/queries';
import { Empty } from '../ui/empty';
import { number } from '../ui/format';
import { Page } from '../ui/page';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { Figure } from '../ui/figure';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';
import { UpstreamBadge } from '../ui/upstream-badge';

/** What waits and what runs, and who works on it. */
export function QueuePage() {
  const { data: queue, error, refetch } = useQueue();
  const { data: providers = [] } = useProviders();
  const sum = (what: 'waiting' | 'processing') => queue?.outstanding.reduce((count, entry) => count + entry[what], 0);
  return (
    <Page title="Queue" about="Live: tasks of this account that are not over.">
      {error && <Problem title="The queue could not be loaded" error={error} onRetry={() => void refetch()} />}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name="Waiting" value={figure(sum('waiting'))} />
        <Figure name="Processing" value={figure(sum('processing'))} />
        <Figure name="Oldest" value={queue && (queue.oldestAt === null ? 'none' : <Ago at={queue.oldestAt} />)} />
        <Figure name="Workers alive" value={queue && (queue.workers === null ? 'unknown' : number(queue.workers.length))} />
      </SimpleGrid>
      <Section title="Outstanding" padded={false}>
        {queue?.outstanding.length === 0 ? (
          <Empty title="The queue is empty">Whatever is asked is taken up at once.</Empty>
        ) : (
          <Outstanding rows={queue?.outstanding} providers={providers} />
        )}
      </Section>
      <Section title="Workers" about="Of the whole deployment." padded={false}>
        {queue?.workers === null && (
          <Alert color="yellow" m="md">
            The bus is away, so nobody can say which workers are alive. Tasks are kept and go on when it is back.
          </Alert>
        )}
        {queue?.workers?.length === 0 && (
          <Empty title="No worker is alive">Tasks wait until one starts. Start the worker service, and look at its log if it does not stay.</Empty>
        )}
        {(queue === undefined || (queue.workers?.length ?? 0) > 0) && <Workers rows={queue?.workers ?? undefined} providers={providers} />}
      </Section>
    </Page>
  );
}

const figure = (value: number | undefined) => value !== undefined && number(value);
const labelOf = (providers: Provider[], id: string) => providers.find((provider) => provider.id === id)?.label ?? id;

const Outstanding = ({ rows, providers }: { rows: OutstandingTasks[] | undefined; providers: Provider[] }) => (
  <Table
    label="Outstanding"
    rows={rows && [...rows].sort((a, b) => b.priority - a.priority)}
    expected={3}
    keyOf={({ provider, priority }) => `${provider} ${priority}`}
    columns={[
      { name: 'Provider', cell: ({ provider }) => labelOf(providers, provider) },
      { name: 'Priority', numeric: true, cell: ({ priority }) => priority },
      { name: 'Waiting', numeric: true, cell: ({ waiting }) => number(waiting) },
      { name: 'Processing', numeric: true, cell: ({ processing }) => number(processing) },
      { name: 'Oldest', numeric: true, cell: ({ oldestAt }) => <Ago at={oldestAt} /> },
    ]}
  />
);

const Workers = ({ rows, providers }: { rows: WorkerAlive[] | undefined; providers: Provider[] }) => (
  <Table
    label="Workers"
    rows={rows}
    expected={2}
    keyOf={({ id }) => id}
    columns={[
      {
        name: 'Worker',
        cell: ({ id, since }) => (
          <>
            <Text className="mono break" maw={220}>
              {id}
            </Text>
            <Text size="xs" c="dimmed">
              started <Ago at={since} />
            </Text>
          </>
        ),
      },
      {
        name: 'Serves',
        cell: ({ providers: served }) => (
          <Group gap={6}>
            {served.map(({ provider, upstream, slots, running }) => (
              <Paper key={provider} px={8} py={4} component={Group} gap={6}>
                <Text size="xs" fw={500}>
                  {labelOf(providers, provider)}
                </Text>
                <UpstreamBadge upstream={upstream} />
                <Badge size="sm" color={running > 0 ? 'blue' : 'gray'} className="number" title={`${running} of ${slots} slots at work`}>
                  {running}/{slots}
                </Badge>
              </Paper>
            ))}
          </Group>
        ),
      },
    ]}
  />
);
