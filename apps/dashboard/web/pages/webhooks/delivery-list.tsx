import { Anchor, Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type Delivery, type DeliveryAttempt, ROUTES } from '../../../src/api';
import { post } from '../../api/call';
import { done } from '../../api/client';
import { useSession } from '../../app/session';
import { duration } from '../../ui/format';
import { DeliveryBadge } from '../../ui/status-badge';
import { Table } from '../../ui/table';
import { Ago, Time } from '../../ui/time';
import classes from './delivery-list.module.css';

/** Deliveries, each with all its attempts. */
export function DeliveryList({ deliveries, label }: { deliveries: Delivery[] | undefined; label: string }) {
  const { canAct } = useSession();
  return (
    <Table
      label={label}
      rows={deliveries}
      keyOf={({ id }) => id}
      columns={[
        { name: 'Status', width: 100, cell: ({ status }) => <DeliveryBadge status={status} /> },
        {
          name: 'Receiver',
          cell: ({ id, url, requestId }) => (
            <div className={classes.receiver}>
              <Anchor component={Link} to={`/webhooks/${id}`} className={classes.url} title={url}>
                {url}
              </Anchor>
              <Text size="xs" c="dimmed" className="mono line">
                {requestId}
              </Text>
            </div>
          ),
        },
        {
          name: 'Last attempt',
          wideOnly: true,
          cell: ({ attempts, nextAttemptAt }) => (
            <>
              <LastAttempt attempt={attempts.at(-1)} />
              {nextAttemptAt && (
                <Text size="xs" c="dimmed">
                  next <Ago at={nextAttemptAt} />
                </Text>
              )}
            </>
          ),
        },
        { name: 'Attempts', numeric: true, wideOnly: true, cell: ({ attempts }) => attempts.length },
        ...(canAct ? [{ name: 'Actions', hiddenName: true, width: 110, cell: (delivery: Delivery) => <Redeliver delivery={delivery} /> }] : []),
      ]}
    />
  );
}

function LastAttempt({ attempt }: { attempt: DeliveryAttempt | undefined }) {
  if (!attempt) return <Text c="dimmed">under way</Text>;
  return (
    <div>
      <Text>
        {attempt.error ?? attempt.statusCode}
        {attempt.durationMs !== null && ` in ${duration(attempt.durationMs)}`}
      </Text>
      <Text size="xs" c="dimmed">
        <Time at={attempt.at} />
      </Text>
    </div>
  );
}

export function Redeliver({ delivery, size = 'xs' }: { delivery: Delivery; size?: string }) {
  const client = useQueryClient();
  const redeliver = useMutation({
    mutationFn: () => post<Delivery>(ROUTES.redeliveryOf(delivery.id)),
    onSuccess() {
      done('It is sent again now.');
      return Promise.all(['deliveries', 'request'].map((name) => client.invalidateQueries({ queryKey: [name] })));
    },
  });
  return (
    <Button size={size} variant="default" aria-label={`Redeliver to ${delivery.url}`} loading={redeliver.isPending} onClick={() => redeliver.mutate()}>
      Redeliver
    </Button>
  );
}
