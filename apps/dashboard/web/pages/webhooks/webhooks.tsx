import { SegmentedControl } from '@mantine/core';
import { useSearchParams } from 'react-router';
import type { DeliveryStatus } from '../../../src/api';
import { useDeliveries } from '../../api/queries';
import { useSession } from '../../app/session';
import { Empty } from '../../ui/empty';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { DeliveryList } from './delivery-list';
import { SigningSection } from './signing';
import { TestDelivery } from './test-delivery';

const STATUSES = [
  { value: '', label: 'All' },
  { value: 'pending', label: 'Pending' },
  { value: 'delivered', label: 'Delivered' },
  { value: 'failed', label: 'Failed' },
];

/** Signing of deliveries, and the log of them. */
export function WebhooksPage() {
  const [params, setParams] = useSearchParams();
  const { canAct } = useSession();
  const status = params.get('status') ?? '';
  const cursor = params.get('cursor') ?? undefined;
  const { data, error, refetch } = useDeliveries((status || undefined) as DeliveryStatus | undefined, cursor);
  const show = (next: Record<string, string | undefined>) =>
    setParams(Object.fromEntries(Object.entries(next).filter(([, value]) => value)) as Record<string, string>);
  return (
    <Page title="Webhooks" about="A task that names a webhook is delivered there when it is over: five attempts over half an hour, and again from here.">
      <SigningSection />
      {canAct && <TestDelivery />}
      {error && <Problem title="The deliveries could not be loaded" error={error} onRetry={() => void refetch()} />}
      <Section
        title="Deliveries"
        padded={false}
        actions={
          <SegmentedControl size="xs" aria-label="Status of the deliveries" data={STATUSES} value={status} onChange={(value) => show({ status: value })} />
        }
      >
        {data?.deliveries.length === 0 ? (
          <Empty title={status === '' ? 'Nothing was delivered yet' : `No delivery is ${status}`}>
            Create a task with <code>webhook.url</code>, or send a test delivery: each attempt is logged here.
          </Empty>
        ) : (
          <DeliveryList deliveries={data?.deliveries} label="Deliveries" />
        )}
        <Pager cursor={cursor} nextCursor={data?.nextCursor} onChange={(next) => show({ status, cursor: next })} />
      </Section>
    </Page>
  );
}
