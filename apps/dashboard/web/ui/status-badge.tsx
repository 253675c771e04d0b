import { Badge } from '@mantine/core';
import type { DeliveryStatus, RequestEntry } from '../../src/api';

const WORDS: Record<number, string> = {
  200: 'OK',
  400: 'Invalid',
  403: 'Forbidden',
  409: 'Duplicate',
  429: 'Limited',
  499: 'Canceled',
  500: 'Error',
  502: 'Upstream',
};

const COLORS = { ok: 'green', failed: 'red', refused: 'orange', in_progress: 'blue' };

/** How a request stands, by its HTTP status and what that means here. */
export function RequestBadge({ request: { status, statusCode } }: { request: Pick<RequestEntry, 'status' | 'statusCode'> }) {
  return (
    <Badge color={statusCode === 499 ? 'gray' : COLORS[status]} className="number">
      {status === 'in_progress' ? (
        'Running'
      ) : (
        <>
          {statusCode}
          <span className="wide-only"> {WORDS[statusCode ?? 0]}</span>
        </>
      )}
    </Badge>
  );
}

const DELIVERIES = { pending: { color: 'blue', word: 'Pending' }, delivered: { color: 'green', word: 'Delivered' }, failed: { color: 'red', word: 'Failed' } };

export const DeliveryBadge = ({ status }: { status: DeliveryStatus }) => <Badge color={DELIVERIES[status].color}>{DELIVERIES[status].word}</Badge>;
