import { Anchor, Badge, Button, Menu, Paper, Text, VisuallyHidden } from '@mantine/core';
import { IconChevronDown, IconDownload } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { type RequestEntry, ROUTES } from '../../../src/api';
import { address } from '../../api/call';
import { useProviders } from '../../api/queries';
import { filtersNow, type ListFilters, useRequestList } from '../../api/request-list';
import { useSession } from '../../app/session';
import { Empty } from '../../ui/empty';
import { countryName, duration, number, plural } from '../../ui/format';
import { Page } from '../../ui/page';
import { Pager } from '../../ui/pager';
import { Problem } from '../../ui/problem';
import { RequestBadge } from '../../ui/status-badge';
import { type Column, Table } from '../../ui/table';
import { Time } from '../../ui/time';
import classes from './requests.module.css';
import { FilterBar, FILTERS } from './filters';

/** The request log, live. Filters and page stand in the address, so that they can be sent to somebody. */
export function RequestsPage() {
  const [params, setParams] = useSearchParams();
  const navigate = useNavigate();
  const { canAct } = useSession();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, params.get(name) ?? undefined])) as ListFilters;
  const cursor = params.get('cursor') ?? undefined;
  const { data, error, refetch, isPlaceholderData } = useRequestList(filters, cursor);
  const isFiltered = FILTERS.some((name) => filters[name] !== undefined);
  const columns = useColumns();
  const news = useNews(data?.requests, JSON.stringify([filters, cursor]));

  const show = (next: ListFilters & { cursor?: string }) =>
    setParams(Object.fromEntries(Object.entries(next).filter(([, value]) => value !== undefined)) as Record<string, string>, {
      replace: next.cursor === undefined,
    });

  return (
    <Page
      title="Requests"
      about={cursor === undefined ? 'Every call of this account, as it comes in.' : 'Older requests. The list is live on its newest page.'}
      actions={<ExportMenu filters={filters} />}
    >
      <FilterBar filters={filters} onChange={show} />
      {error && <Problem title="The list could not be loaded" error={error} onRetry={() => void refetch()} />}
      <VisuallyHidden aria-live="polite">{news}</VisuallyHidden>
      {(data || !error) && (
        <Paper className={isPlaceholderData ? classes.stale : undefined}>
          {data?.requests.length === 0 ? (
            <NothingFound isFiltered={isFiltered} canAct={canAct} onClear={() => show({})} />
          ) : (
            <Table
              label="Requests"
              columns={columns}
              rows={data?.requests}
              expected={12}
              keyOf={({ id }) => id}
              onOpen={({ id }) => void navigate(`/requests/${id}`)}
            />
          )}
          <Pager cursor={cursor} nextCursor={data?.nextCursor} onChange={(next) => show({ ...filters, cursor: next })} />
        </Paper>
      )}
    </Page>
  );
}

function useColumns(): Column<RequestEntry>[] {
  const { data: providers = [] } = useProviders();
  const labels = new Map(providers.map(({ id, label }) => [id, label]));
  const labelOf = ({ provider }: RequestEntry) => (provider === null ? '–' : (labels.get(provider) ?? provider));
  return [
    { name: 'Status', cell: (entry) => <RequestBadge request={entry} /> },
    {
      name: 'Prompt',
      grows: true,
      cell: (entry) => (
        <div className={classes.prompt}>
          <Anchor component={Link} to={`/requests/${entry.id}`} className={classes.link} onClick={(event) => event.stopPropagation()}>
            {entry.prompt || (
              <Text span fs="italic">
                no prompt
              </Text>
            )}
          </Anchor>
          <div className={classes.narrow}>
            {[labelOf(entry), entry.country, entry.latencyMs !== null && duration(entry.latencyMs)].filter(Boolean).join(' · ')} · <Time at={entry.createdAt} />
          </div>
        </div>
      ),
    },
    { name: 'Provider', wideOnly: true, cell: (entry) => <Asked label={labelOf(entry)} entry={entry} /> },
    {
      name: 'Key',
      wideOnly: true,
      cell: ({ key, test }) => (
        <div className={classes.key}>
          {key.name ?? key.person ?? '–'}{' '}
          {test && (
            <Badge size="xs" color="gray">
              test
            </Badge>
          )}
        </div>
      ),
    },
    { name: 'Credits', wideOnly: true, numeric: true, cell: ({ creditsCharged }) => (creditsCharged === null ? '–' : number(creditsCharged)) },
    {
      name: 'Latency',
      wideOnly: true,
      numeric: true,
      cell: ({ latencyMs }) => <span className={classes.nowrap}>{latencyMs === null ? '–' : duration(latencyMs)}</span>,
    },
    {
      name: 'Time',
      wideOnly: true,
      cell: ({ createdAt }) => <Time at={createdAt} isShort />,
    },
  ];
}

const Asked = ({ label, entry: { country } }: { label: string; entry: RequestEntry }) => (
  <span className={classes.nowrap}>
    {label}{' '}
    <Text span c="dimmed" title={country ? countryName(country) : undefined}>
      {country}
    </Text>
  </span>
);

function NothingFound({ isFiltered, canAct, onClear }: { isFiltered: boolean; canAct: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty
        title="No request is like that"
        action={
          <Button variant="default" onClick={onClear}>
            Clear the filters
          </Button>
        }
      >
        Take a filter away, or search for the first words of the prompt.
      </Empty>
    );
  }
  return (
    <Empty
      title="Nothing was asked yet"
      action={
        canAct && (
          <Button component={Link} to="/playground">
            Open the playground
          </Button>
        )
      }
    >
      Ask something in the playground, or send a request with an API key. It appears here within two seconds.
    </Empty>
  );
}

function ExportMenu({ filters }: { filters: ListFilters }) {
  const query = { ...filtersNow(filters) };
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" leftSection={<IconDownload size={16} aria-hidden />} rightSection={<IconChevronDown size={14} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>What the filters leave</Menu.Label>
        <Menu.Item component="a" href={address(ROUTES.requestsCsv, query)} download>
          CSV, for a spreadsheet
        </Menu.Item>
        <Menu.Item component="a" href={address(ROUTES.requestsNdjson, query)} download>
          NDJSON, for a program
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

/** What is read out when requests come in while somebody looks at the same list. */
function useNews(requests: RequestEntry[] | undefined, list: string): string {
  const seen = useRef<{ list: string; newest: string | undefined }>(undefined);
  const [news, setNews] = useState('');
  useEffect(() => {
    if (!requests) return;
    const before = seen.current;
    const newest = requests[0]?.id;
    if (before?.list === list && before.newest !== undefined && newest !== before.newest) {
      const count = requests.filter(({ id }) => id > (before.newest as string)).length;
      setNews(`${plural(count, 'new request')}.`);
    }
    seen.current = { list, newest };
  }, [requests, list]);
  return news;
}
