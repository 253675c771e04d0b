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

createRoot(document.getElementById('root')!).render(
  <MantineProvider theme={theme} cssVariablesResolver={contrasts} defaultColorScheme="auto">
    <Notifications position="bottom-right" />
    <QueryClientProvider client={client}>
      <App />
    </QueryClientProvider>
  </MantineProvider>,
);
