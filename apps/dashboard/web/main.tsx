import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { MantineProvider } from '@mantine/core';
import { createRoot } from 'react-dom/client';
import { AnswerView } from './answer/answer-view';
import { contrasts, theme } from './theme';

createRoot(document.getElementById('root')!).render(
  <MantineProvider theme={theme} cssVariablesResolver={contrasts} defaultColorScheme="auto">
    <AnswerView result={{}} />
  </MantineProvider>,
);
