import { keepPreviousData, useQuery } from '@tanstack/react-query';
import {
  type AuditPage,
  type DeliveriesPage,
  type DeliveryDetail,
  type DeliveryStatus,
  type Keys,
  type People,
  type Performance,
  type Provider,
  type Queue,
  type RequestDetail,
  ROUTES,
  type Signing,
  type Status,
  type Usage,
} from '../../src/api';
import { get } from './call';

/** How often a page that is looked at asks again. */
export const LIVE_MS = 1500;
const SLOW_MS = 5000;

const FOREVER_MS = Infinity;

export const useProviders = () => useQuery({ queryKey: ['providers'], queryFn: () => get<Provider[]>(ROUTES.providers), staleTime: FOREVER_MS });

/** A request; asked for again until it is over and its webhook has been delivered. */
export const useRequest = (id: string | undefined) =>
  useQuery({
    queryKey: ['request', id],
    queryFn: () => get<RequestDetail>(ROUTES.requestOf(id as string)),
    enabled: id !== undefined,
    refetchInterval: ({ state: { data } }) =>
      data?.status === 'in_progress' ? LIVE_MS / 2 : data?.deliveries.some(({ status }) => status === 'pending') ? LIVE_MS : false,
  });

export const useKeys = () => useQuery({ queryKey: ['keys'], queryFn: () => get<Keys>(ROUTES.keys) });
export const useSigning = () => useQuery({ queryKey: ['signing'], queryFn: () => get<Signing>(ROUTES.signing) });
export const usePeople = () => useQuery({ queryKey: ['people'], queryFn: () => get<People>(ROUTES.people) });
export const useQueue = () => useQuery({ queryKey: ['queue'], queryFn: () => get<Queue>(ROUTES.queue), refetchInterval: LIVE_MS });
export const useStatus = () => useQuery({ queryKey: ['status'], queryFn: () => get<Status>(ROUTES.status), refetchInterval: SLOW_MS });

export const useAudit = (cursor: string | undefined) =>
  useQuery({ queryKey: ['audit', cursor], queryFn: () => get<AuditPage>(ROUTES.audit, { cursor }), placeholderData: keepPreviousData });

export const useDeliveries = (status: DeliveryStatus | undefined, cursor: string | undefined) =>
  useQuery({
    queryKey: ['deliveries', status, cursor],
    queryFn: () => get<DeliveriesPage>(ROUTES.deliveries, { status, cursor }),
    placeholderData: keepPreviousData,
    refetchInterval: LIVE_MS,
  });

export const useDelivery = (id: string) =>
  useQuery({ queryKey: ['deliveries', 'one', id], queryFn: () => get<DeliveryDetail>(ROUTES.deliveryOf(id)), refetchInterval: LIVE_MS });

export interface Range {
  from: string;
  to: string;
}

export const useUsage = (range: Range) =>
  useQuery({ queryKey: ['usage', range], queryFn: () => get<Usage>(ROUTES.usage, { ...range }), placeholderData: keepPreviousData });

export const usePerformance = (range: Range) =>
  useQuery({ queryKey: ['performance', range], queryFn: () => get<Performance>(ROUTES.performance, { ...range }), placeholderData: keepPreviousData });
