import { Paper, Text } from '@mantine/core';
import { useSearchParams } from 'react-router';
import type { AuditAction } from '../../src/api';
import { useAudit } from '../api/queries';
import { Empty } from '../ui/empty';
import { Page } from '../ui/page';
import { Pager } from '../ui/pager';
import { Problem } from '../ui/problem';
import { Table } from '../ui/table';
import { Time } from '../ui/time';

const WORDS: Record<AuditAction, string> = {
  'account.created': 'made the account',
  'person.added': 'added a person',
  'person.role_changed': 'changed a role',
  'person.removed': 'removed a person',
  'person.password_changed': 'changed their password',
  'key.created': 'created a key',
  'key.revoked': 'revoked a key',
  'signing.enabled': 'turned signing on',
  'signing.rotated': 'rotated the signing secret',
  'signing.disabled': 'turned signing off',
  'request.run': 'ran a request',
  'request.run_again': 'ran a request again',
  'delivery.redelivered': 'sent a delivery again',
  'delivery.test_sent': 'sent a test delivery',
};

/** Who did what in this account. */
export function AuditLogPage() {
  const [params, setParams] = useSearchParams();
  const cursor = params.get('cursor') ?? undefined;
  const { data, error, refetch } = useAudit(cursor);
  return (
    <Page title="Audit log" about="Everything that was changed or run from this dashboard.">
      {error && !data && <Problem title="The audit log could not be loaded" error={error} onRetry={() => void refetch()} />}
      {(data || !error) && (
        <Paper>
          {data?.entries.length === 0 ? (
            <Empty title="Nothing was done yet">Creating a key, changing a role or running a request from here leaves an entry.</Empty>
          ) : (
            <Table
              label="Audit log"
              rows={data?.entries}
              expected={10}
              keyOf={({ id }) => id}
              columns={[
                { name: 'Time', width: 150, cell: ({ at }) => <Time at={at} /> },
                {
                  name: 'Person',
                  cell: ({ person }) => (
                    <Text fw={500} className="break">
                      {person}
                    </Text>
                  ),
                },
                { name: 'Did', cell: ({ action }) => WORDS[action] },
                {
                  name: 'What',
                  cell: ({ subject, detail }) => (
                    <div style={{ minWidth: 120 }}>
                      <Text className="break">{subject}</Text>
                      {detail && (
                        <Text size="xs" c="dimmed" className="break">
                          {detail}
                        </Text>
                      )}
                    </div>
                  ),
                },
              ]}
            />
          )}
          <Pager cursor={cursor} nextCursor={data?.nextCursor} onChange={(next) => setParams(next === undefined ? {} : { cursor: next })} />
        </Paper>
      )}
    </Page>
  );
}
