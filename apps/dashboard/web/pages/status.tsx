import { Alert, Anchor, Badge, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { Link } from 'react-router';
import { useStatus } from '../api/queries';
import { duration, plural } from '../ui/format';
import { Page } from '../ui/page';
import { Problem } from '../ui/problem';
import { Section } from '../ui/section';
import { Table } from '../ui/table';
import { Ago } from '../ui/time';
import { UpstreamBadge } from '../ui/upstream-badge';

/** Whether everything runs, and who answers for each provider. */
export function StatusPage() {
  const { data: status, error, refetch } = useStatus();
  const down = [
    ...(status?.dependencies.filter(({ isUp }) => !isUp).map(({ name }) => name) ?? []),
    ...(status?.services?.filter(({ instances }) => instances.length === 0).map(({ name }) => name) ?? []),
  ];
  return (
    <Page title="Status" about="As it is right now, asked every five seconds.">
      {error && <Problem title="The status could not be loaded" error={error} onRetry={() => void refetch()} />}
      <div aria-live="polite">
        {status ? (
          <Alert color={down.length === 0 ? 'green' : 'red'} title={down.length === 0 ? 'Everything runs' : `Down: ${down.join(', ')}`}>
            {down.length === 0 ? 'All services and servers answer.' : 'Accepted tasks are kept and go on when it is back. The logs of what is down say why.'}
          </Alert>
        ) : (
          !error && <Skeleton height={72} />
        )}
      </div>
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        <Section title="Servers" padded={false}>
          <Table
            label="Servers"
            rows={status?.dependencies}
            expected={3}
            keyOf={({ name }) => name}
            columns={[
              { name: 'Server', cell: ({ name }) => name },
              { name: 'State', cell: ({ isUp, problem }) => <UpOrDown isUp={isUp} problem={problem} /> },
              { name: 'Answered in', numeric: true, cell: ({ ms }) => (ms === null ? '–' : duration(ms)) },
            ]}
          />
        </Section>
        <Section title="Services" padded={false}>
          {status?.services === null ? (
            <Alert color="yellow" m="md">
              The bus is away, so nobody can say which services run.
            </Alert>
          ) : (
            <Table
              label="Services"
              rows={status?.services ?? undefined}
              expected={5}
              keyOf={({ name }) => name}
              columns={[
                { name: 'Service', cell: ({ name }) => name },
                { name: 'State', cell: ({ instances }) => <UpOrDown isUp={instances.length > 0} problem="None answers." /> },
                {
                  name: 'Instances',
                  cell: ({ instances }) => (
                    <Text>
                      {instances.length}
                      {instances[0] && (
                        <Text span c="dimmed">
                          , since <Ago at={instances.map(({ since }) => since).sort()[0] ?? instances[0].since} />
                        </Text>
                      )}
                    </Text>
                  ),
                },
              ]}
            />
          )}
        </Section>
      </SimpleGrid>
      <Section title="Providers" about="Last success and last error are of this account, in the last day." padded={false}>
        <Table
          label="Providers"
          rows={status?.providers}
          expected={8}
          keyOf={({ provider }) => provider}
          columns={[
            { name: 'Provider', cell: ({ label }) => <Text fw={500}>{label}</Text> },
            { name: 'Upstream', cell: ({ upstream }) => <UpstreamBadge upstream={upstream} /> },
            { name: 'Workers', wideOnly: true, cell: ({ workers }) => plural(workers, 'worker') },
            { name: 'Last success', wideOnly: true, cell: ({ lastOkAt }) => (lastOkAt === null ? <Text c="dimmed">none</Text> : <Ago at={lastOkAt} />) },
            {
              name: 'Last error',
              cell: ({ lastError }) =>
                lastError === null ? (
                  <Text c="dimmed">none</Text>
                ) : (
                  <div style={{ minWidth: 130 }}>
                    <Anchor component={Link} to={`/requests/${lastError.requestId}`} size="sm">
                      {lastError.reason.replaceAll('_', ' ')}
                    </Anchor>
                    <Text size="xs" c="dimmed">
                      <Ago at={lastError.at} /> · {lastError.message}
                    </Text>
                  </div>
                ),
            },
          ]}
        />
      </Section>
    </Page>
  );
}

const UpOrDown = ({ isUp, problem }: { isUp: boolean; problem: string | null }) => (
  <>
    <Badge color={isUp ? 'green' : 'red'}>{isUp ? 'Up' : 'Down'}</Badge>
    {!isUp && problem && (
      <Text size="xs" c="dimmed">
        {problem}
      </Text>
    )}
  </>
);
