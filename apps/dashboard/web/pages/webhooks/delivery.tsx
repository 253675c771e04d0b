import { Anchor, Code, Skeleton, Stack, Text } from '@mantine/core';
import { Link, useParams } from 'react-router';
import { useDelivery } from '../../api/queries';
import { useSession } from '../../app/session';
import { Empty } from '../../ui/empty';
import { Facts } from '../../ui/facts';
import { duration } from '../../ui/format';
import { JsonTree } from '../../ui/json-tree';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { DeliveryBadge } from '../../ui/status-badge';
import { Table } from '../../ui/table';
import { Ago, Time } from '../../ui/time';
import { Redeliver } from './delivery-list';

/** One delivery: what is sent, and what its receiver said to each attempt. */
export function DeliveryPage() {
  const { id = '' } = useParams();
  const { data: delivery, error, refetch } = useDelivery(id);
  const { canAct } = useSession();
  if (error && !delivery) {
    return (
      <Page title="Delivery">
        <Problem title="The delivery could not be loaded" error={error} onRetry={() => void refetch()} />
      </Page>
    );
  }
  return (
    <Page title="Delivery" about={<span className="mono break">{id}</span>} actions={delivery?.body && canAct && <Redeliver delivery={delivery} size="sm" />}>
      {!delivery ? (
        <Stack aria-busy="true">
          <Skeleton height={190} />
          <Skeleton height={240} />
        </Stack>
      ) : (
        <>
          <Section title="Overview">
            <Facts
              facts={[
                ['Status', <DeliveryBadge key="status" status={delivery.status} />],
                ['Receiver', delivery.url],
                [
                  'Request',
                  <Anchor key="request" component={Link} to={`/requests/${delivery.requestId}`} className="mono" size="sm">
                    {delivery.requestId}
                  </Anchor>,
                ],
                ['Made', <Time key="made" at={delivery.createdAt} />],
                ['Next attempt', delivery.nextAttemptAt && <Ago key="next" at={delivery.nextAttemptAt} />],
                ['Kept until', <Ago key="until" at={delivery.expiresAt} />],
              ]}
            />
          </Section>
          <Section title="Attempts" padded={false}>
            {delivery.attempts.length === 0 ? (
              <Empty title="The first attempt is under way" />
            ) : (
              <Table
                label="Attempts"
                rows={delivery.attempts}
                keyOf={({ attempt }) => String(attempt)}
                columns={[
                  { name: 'Attempt', width: 80, cell: ({ attempt }) => attempt },
                  { name: 'Time', cell: ({ at }) => <Time at={at} /> },
                  { name: 'Outcome', cell: ({ error, statusCode }) => error ?? `Answered ${statusCode}` },
                  { name: 'Took', numeric: true, cell: ({ durationMs }) => (durationMs === null ? '–' : duration(durationMs)) },
                ]}
                detail={({ answer }) =>
                  answer && (
                    <>
                      <Text size="xs" c="dimmed" mb={4}>
                        How the receiver’s answer begins
                      </Text>
                      <Code block className="break" style={{ whiteSpace: 'pre-wrap' }}>
                        {answer}
                      </Code>
                    </>
                  )
                }
              />
            )}
          </Section>
          <Section title="Body" about="The same bytes at every attempt.">
            {delivery.body === null ? <Empty title="The task has expired, and the body with it" /> : <JsonTree value={JSON.parse(delivery.body)} />}
          </Section>
        </>
      )}
    </Page>
  );
}
