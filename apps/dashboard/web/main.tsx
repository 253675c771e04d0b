import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { client } from './api/client';
import { App } from './app/app';
import { contrasts, theme } from './theme';

// A page that was open while a new version was installed asks for parts that are gone: it begins anew, once.
window.addEventListener('vite:preloadError', () => {
  const AGAIN_AFTER_MS = 30_000;
  const last = Number(sessionStorage.getItem('reloaded'));
  if (Date.now() - last < AGAIN_AFTER_MS) return;
  sessionStorage.setItem('reloaded', String(Date.now()));
  window.location.reload();
});

createRoot(document.getElementById('root')!).render(
  <MantineProvider theme={theme} cssVariablesResolver={contrasts} defaultColorScheme="auto">
    <Notifications position="bottom-right" />
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
