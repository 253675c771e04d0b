import { Alert, Badge, Button, Group, Paper, Skeleton, Stack, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { IconPlayerPlay, IconRefresh } from '@tabler/icons-react';
import { Link, useNavigate, useParams } from 'react-router';
import { type RequestDetail, ROUTES, type Started } from '../../../src/api';
import { ApiError, post } from '../../api/call';
import { done } from '../../api/client';
import { useProviders, useRequest } from '../../api/queries';
import { useSession } from '../../app/session';
import { curlOf } from '../../request/curl';
import { Outcome } from '../../request/outcome';
import { CopyButton } from '../../ui/copy-button';
import { Empty } from '../../ui/empty';
import { Facts } from '../../ui/facts';
import { countryName, duration, number } from '../../ui/format';
import { JsonTree } from '../../ui/json-tree';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { RequestBadge } from '../../ui/status-badge';
import { Ago, Time } from '../../ui/time';
import { DeliveryList } from '../webhooks/delivery-list';
import { adviceOn } from './advice';
import classes from './request.module.css';
import { Timeline } from './timeline';

/** One request: how it went, what came of it, and the ways to repeat it. */
export function RequestPage() {
  const { id = '' } = useParams();
  const { data: request, error, refetch } = useRequest(id);
  if (error && !request) {
    return (
      <Page title="Request">
        {error instanceof ApiError && error.status === 404 ? (
          <Empty
            title="There is no such request"
            action={
              <Button component={Link} to="/requests" variant="default">
                Go to the requests
              </Button>
            }
          >
            It may belong to another of your accounts.
          </Empty>
        ) : (
          <Problem title="The request could not be loaded" error={error} onRetry={() => void refetch()} />
        )}
      </Page>
    );
  }
  return (
    <Page title="Request" about={<Identity id={id} />} actions={request && <Actions request={request} />}>
      {request ? <Content request={request} /> : <Coming />}
    </Page>
  );
}

const Identity = ({ id }: { id: string }) => (
  <Group gap={4} wrap="nowrap">
    <span className="mono break">{id}</span>
    <CopyButton value={id} what="the request id" />
  </Group>
);

function Actions({ request }: { request: RequestDetail }) {
  const navigate = useNavigate();
  const { canAct } = useSession();
  const again = useMutation({
    mutationFn: () => post<Started>(ROUTES.againOf(request.id)),
    onSuccess({ requestId }) {
      done('It runs again. This is the new request.');
      void navigate(`/requests/${requestId}`);
    },
  });
  if (!request.call) return null;
  return (
    <>
      <CopyButton value={curlOf(request.call)} what="the request as curl" label="Copy as curl" />
      {canAct && (
        <>
          <Button variant="default" component={Link} to={`/playground?from=${request.id}`} leftSection={<IconPlayerPlay size={16} aria-hidden />}>
            Edit in the playground
          </Button>
          <Button leftSection={<IconRefresh size={16} aria-hidden />} loading={again.isPending} onClick={() => again.mutate()}>
            Run again
          </Button>
        </>
      )}
    </>
  );
}

function Content({ request }: { request: RequestDetail }) {
  const payload = request.payload && (
    <Section title="What was asked">
      <JsonTree value={request.payload} open={3} />
    </Section>
  );
  // The answer takes the room where there is one; else how it went is what somebody came for.
  const timeline = (
    <Section title="Timeline">
      <Timeline events={request.timeline} />
    </Section>
  );
  return (
    <Stack gap="lg">
      <Paper p="md">
        <Text size="md" fw={500} className={classes.prompt}>
          {request.prompt || 'The request named no prompt.'}
        </Text>
      </Paper>
      <div aria-live="polite">{(request.status === 'failed' || request.status === 'refused') && <Failure request={request} />}</div>
      <div className={classes.columns}>
        <Stack gap="lg" miw={0}>
          <Section title="Overview">
            <Overview request={request} />
          </Section>
          {request.result !== null && timeline}
        </Stack>
        <Stack gap="lg" miw={0}>
          {request.result !== null ? (
            <Paper>
              <Outcome
                request={request}
                tabs={[
                  { value: 'payload', label: 'Request', content: <JsonTree value={request.payload} open={3} /> },
                  ...(request.deliveries.length > 0
                    ? [
                        {
                          value: 'deliveries',
                          label: `Deliveries (${request.deliveries.length})`,
                          content: <DeliveryList deliveries={request.deliveries} label="Deliveries of this request" />,
                        },
                      ]
                    : []),
                ]}
              />
            </Paper>
          ) : (
            <>
              {request.status === 'in_progress' && <Running />}
              {request.isExpired && (
                <Paper>
                  <Empty title="The answer has expired">Prompt, status and credits stay in the log; the answer and its payload were kept for a day.</Empty>
                </Paper>
              )}
              {timeline}
              {payload}
              {request.deliveries.length > 0 && (
                <Section title="Deliveries" padded={false}>
                  <DeliveryList deliveries={request.deliveries} label="Deliveries of this request" />
                </Section>
              )}
            </>
          )}
        </Stack>
      </div>
    </Stack>
  );
}

function Failure({ request: { error, statusCode } }: { request: RequestDetail }) {
  const advice = adviceOn(error, statusCode);
  const details = Object.entries(error?.details ?? {}).filter(([, value]) => typeof value !== 'object');
  return (
    <Alert color="red" title={error?.message ?? `Answered with ${statusCode}`}>
      <Stack gap="xs">
        {advice && (
          <Text>
            {advice.why} <strong>{advice.help}</strong>
          </Text>
        )}
        {error && (
          <Group gap="xs">
            <Badge variant="default" className="mono">
              {error.code}
            </Badge>
            {details.map(([name, value]) => (
              <Badge key={name} variant="default" className="mono">
                {name}: {String(value)}
              </Badge>
            ))}
          </Group>
        )}
      </Stack>
    </Alert>
  );
}

function Overview({ request }: { request: RequestDetail }) {
  const { data: providers = [] } = useProviders();
  const { timings, key } = request;
  return (
    <Facts
      facts={[
        ['Status', <RequestBadge key="status" request={request} />],
        ['Provider', providers.find(({ id }) => id === request.provider)?.label ?? request.provider],
        ['Country', request.country && `${countryName(request.country)} (${request.country})`],
        ['Asked', <Time key="at" at={request.createdAt} />],
        ['Latency', request.latencyMs !== null && duration(request.latencyMs)],
        ['Thereof', timings && `${duration(timings.queueMs)} queue, ${duration(timings.upstreamMs)} upstream, ${duration(timings.parseMs)} reading`],
        ['Credits', request.creditsCharged === null ? `${number(request.creditsToCharge)} held` : number(request.creditsCharged)],
        ['Mode', request.mode === 'sync' ? 'Synchronous' : `Task, priority ${request.priority}`],
        ['Key', `${key.name ?? (key.person === null ? 'unknown' : `${key.person}, in the dashboard`)}${request.test ? ' (test)' : ''}`],
        ['Upstream', request.upstream && (request.upstream === 'sandbox' ? 'Sandbox: made up' : 'Live')],
        ['Quality', request.quality && (request.quality.status === 'ok' ? 'OK' : 'Degraded')],
        ['Idempotency', request.idempotencyKey],
        ['Webhook', request.webhookUrl],
        ['Kept until', request.expiresAt && !request.isExpired && <Ago key="until" at={request.expiresAt} />],
      ]}
    />
  );
}

const Running = () => (
  <Paper p="lg" aria-busy="true">
    <Stack gap="sm">
      <Text c="dimmed" role="status">
        In progress: the answer appears here when it is there.
      </Text>
      <Skeleton height={14} width="80%" />
      <Skeleton height={14} width="92%" />
      <Skeleton height={14} width="70%" />
    </Stack>
  </Paper>
);

const Coming = () => (
  <Stack gap="lg" aria-busy="true">
    <Skeleton height={58} />
    <div className={classes.columns}>
      <Stack gap="lg">
        <Skeleton height={340} />
        <Skeleton height={260} />
      </Stack>
      <Skeleton height={620} />
    </div>
  </Stack>
);
