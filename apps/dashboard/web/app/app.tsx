import { Center } from '@mantine/core';
import { createBrowserRouter, Navigate, RouterProvider } from 'react-router';
import { LoginPage } from '../pages/login';
import { SetupPage } from '../pages/setup';
import { Problem } from '../ui/problem';
import { SessionContext, useSessionQuery } from './session';
import { Shell } from './shell';

/** Each page is loaded when somebody goes there. */
const router = createBrowserRouter([
  {
    element: <Shell />,
    children: [
      { index: true, element: <Navigate to="/requests" replace /> },
      { path: 'requests', lazy: async () => ({ Component: (await import('../pages/requests/requests')).RequestsPage }) },
      { path: 'requests/:id', lazy: async () => ({ Component: (await import('../pages/request/request')).RequestPage }) },
      { path: 'playground', lazy: async () => ({ Component: (await import('../pages/playground/playground')).PlaygroundPage }) },
      { path: 'keys', lazy: async () => ({ Component: (await import('../pages/keys')).KeysPage }) },
      { path: 'webhooks', lazy: async () => ({ Component: (await import('../pages/webhooks/webhooks')).WebhooksPage }) },
      { path: 'webhooks/:id', lazy: async () => ({ Component: (await import('../pages/webhooks/delivery')).DeliveryPage }) },
      { path: 'queue', lazy: async () => ({ Component: (await import('../pages/queue')).QueuePage }) },
      { path: 'usage', lazy: async () => ({ Component: (await import('../pages/usage/usage')).UsagePage }) },
      { path: 'status', lazy: async () => ({ Component: (await import('../pages/status')).StatusPage }) },
      { path: 'people', lazy: async () => ({ Component: (await import('../pages/people')).PeoplePage }) },
      { path: 'audit-log', lazy: async () => ({ Component: (await import('../pages/audit-log')).AuditLogPage }) },
      { path: 'password', lazy: async () => ({ Component: (await import('../pages/password')).PasswordPage }) },
      { path: '*', lazy: async () => ({ Component: (await import('../pages/not-found')).NotFoundPage }) },
    ],
    hydrateFallbackElement: <></>,
  },
]);

/** The first set-up, the login, or the pages, as the session says. */
export function App() {
  const { data: session, error, refetch } = useSessionQuery();
  if (error && !session) {
    return (
      <Center component="main" mih="100dvh" p="md">
        <Problem title="The dashboard did not load" error={error} onRetry={() => void refetch()} />
      </Center>
    );
  }
  switch (session?.state) {
    case 'setup':
      return <SetupPage />;
    case 'login':
      return <LoginPage />;
    case 'in':
      return (
        <SessionContext value={session}>
          <RouterProvider key={session.account.id} router={router} />
        </SessionContext>
      );
    default:
      return null;
  }
}
