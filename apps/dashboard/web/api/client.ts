import { notifications } from '@mantine/notifications';
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError } from './call';

export const SESSION = ['session'] as const;

/** The answers that the pages hold. Whoever is no longer logged in is asked to log in again, wherever that shows. */
export const client: QueryClient = new QueryClient({
  defaultOptions: {
    queries: { staleTime: 1000, retry: (count, error) => count < 2 && !(error instanceof ApiError && error.status >= 400 && error.status < 500) },
  },
  queryCache: new QueryCache({ onError }),
  mutationCache: new MutationCache({
    onError(error, _variables, _context, mutation) {
      onError(error);
      // A form says what is wrong beside its fields.
      if (mutation.meta?.['isShownByForm'] !== true) notifications.show({ color: 'red', title: 'That did not work', message: error.message });
    },
  }),
});

function onError(error: Error): void {
  if (error instanceof ApiError && error.status === 401) void client.invalidateQueries({ queryKey: SESSION });
}

/** Says in passing that something was done. */
export const done = (message: string): void => void notifications.show({ color: 'green', message });
