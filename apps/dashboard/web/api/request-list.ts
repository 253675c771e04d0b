import { keepPreviousData, type QueryClient, useQuery, useQueryClient } from '@tanstack/react-query';
import { type RequestEntry, type RequestFilters, type RequestsPage, ROUTES } from '../../src/api';
import { get } from './call';
import { LIVE_MS } from './queries';

const PAGE = 50;
/** Longer than this a list that has grown is asked for anew. */
const GROWN = 200;

/** The filters as a page has them: `time` is how long ago, and means another moment each time it is asked. */
export type ListFilters = Omit<RequestFilters, 'from' | 'to'> & { time?: string };

export const TIMES: Record<string, { label: string; ms: number }> = {
  '1h': { label: 'Last hour', ms: 3_600_000 },
  '24h': { label: 'Last 24 hours', ms: 86_400_000 },
  '7d': { label: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { label: 'Last 30 days', ms: 30 * 86_400_000 },
};

export function filtersNow({ time, ...filters }: ListFilters): RequestFilters {
  const ms = time === undefined ? undefined : TIMES[time]?.ms;
  return ms === undefined ? filters : { ...filters, from: new Date(Date.now() - ms).toISOString() };
}

/** A page of the request log. The first one, without a cursor, is live. */
export function useRequestList(filters: ListFilters, cursor: string | undefined) {
  const client = useQueryClient();
  const queryKey = ['requests', filters, cursor];
  const isLive = cursor === undefined;
  return useQuery({
    queryKey,
    queryFn: () => (isLive ? whatIsNew(client, queryKey, filters) : page(filters, cursor)),
    placeholderData: keepPreviousData,
    refetchInterval: isLive && LIVE_MS,
  });
}

const page = (filters: ListFilters, cursor?: string) => get<RequestsPage>(ROUTES.requests, { ...filtersNow(filters), limit: PAGE, cursor });

/** Once there is a list, only what is new and what was still in progress is asked for. */
async function whatIsNew(client: QueryClient, queryKey: unknown[], filters: ListFilters): Promise<RequestsPage> {
  const before = client.getQueryData<RequestsPage>(queryKey);
  const newest = before?.requests[0];
  if (!newest || before.requests.length > GROWN) return page(filters);
  const ids = before.requests.filter(({ status }) => status === 'in_progress').map(({ id }) => id);
  const news = await get<RequestsPage>(ROUTES.requests, { ...filtersNow(filters), limit: PAGE, since: newest.id, ids: ids.join(',') });
  // As many as fit in an answer: there may be more between them and those that are known.
  if (news.requests.length >= PAGE) return page(filters);
  return { requests: merged(before.requests, news.requests), nextCursor: before.nextCursor };
}

/** Ids begin with their time, so that they sort by it. */
function merged(before: RequestEntry[], news: RequestEntry[]): RequestEntry[] {
  const byId = new Map([...before, ...news].map((entry) => [entry.id, entry]));
  return [...byId.values()].sort((a, b) => (a.id < b.id ? 1 : -1));
}
