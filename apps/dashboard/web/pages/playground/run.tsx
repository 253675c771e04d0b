import { Alert, Anchor, Group, Loader, Paper, Stack, Text } from '@mantine/core';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import type { RequestDetail } from '../../../src/api';
import { useRequest } from '../../api/queries';
import { Outcome } from '../../request/outcome';
import { duration, plural } from '../../ui/format';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { RequestBadge } from '../../ui/status-badge';
import { adviceOn } from '../request/advice';
import { Timeline } from '../request/timeline';

/** A request on its way, and then its answer. */
export function Run({ id }: { id: string }) {
  const { data: request, error, refetch } = useRequest(id);
  if (error && !request) return <Problem title="The request could not be read" error={error} onRetry={() => void refetch()} />;
  return (
    <Stack gap="md">
      <Paper p="md">
        <Group justify="space-between" gap="sm">
          <Group gap="sm" role="status">
            {!request || request.status === 'in_progress' ? <Loader size={16} aria-hidden /> : null}
            {request && <RequestBadge request={request} />}
            <Text>{request ? wordsOf(request) : 'Sent'}</Text>
            {(!request || request.status === 'in_progress') && <Elapsed key={id} />}
          </Group>
          <Anchor component={Link} to={`/requests/${id}`} size="sm">
            Open the request
          </Anchor>
        </Group>
      </Paper>
      {request && request.status !== 'ok' && (
        <>
          {request.status !== 'in_progress' && <Failed request={request} />}
          {request.timeline.length > 0 && (
            <Section title="Timeline">
              <Timeline events={request.timeline} />
            </Section>
          )}
        </>
      )}
      {request?.result != null && (
        <Paper>
          <Outcome request={request} />
        </Paper>
      )}
    </Stack>
  );
}

function wordsOf({ status, timeline, latencyMs, creditsCharged }: RequestDetail): string {
  if (status !== 'in_progress') return [latencyMs !== null && `after ${duration(latencyMs)}`, plural(creditsCharged ?? 0, 'credit')].filter(Boolean).join(', ');
  const failures = timeline.filter(({ kind }) => kind === 'attempt').length;
  if (failures > 0) return `${plural(failures, 'attempt')} failed, trying again`;
  return timeline.some(({ kind }) => kind === 'started') ? 'The provider is answering' : 'Waiting for a worker';
}

function Failed({ request: { error, statusCode } }: { request: RequestDetail }) {
  const advice = adviceOn(error, statusCode);
  return (
    <Alert color="red" title={error?.message ?? `Answered with ${statusCode}`}>
      {advice && `${advice.why} ${advice.help}`}
    </Alert>
  );
}

function Elapsed() {
  const [begun] = useState(Date.now);
  const [now, setNow] = useState(begun);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 100);
    return () => clearInterval(timer);
  }, []);
  return (
    <Text c="dimmed" className="number" aria-hidden>
      {duration(now - begun)}
    </Text>
  );
}
