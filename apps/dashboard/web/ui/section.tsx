import { Group, Paper, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';

interface Props {
  title: string;
  about?: ReactNode;
  actions?: ReactNode;
  children: ReactNode;
  /** Without it the content reaches the frame, as tables do. */
  padded?: boolean;
}

/** A framed part of a page, with its heading. */
export function Section({ title, about, actions, children, padded = true }: Props) {
  return (
    <Paper component="section" aria-label={title}>
      <Group justify="space-between" px="md" py="sm" gap="xs" style={{ borderBottom: '1px solid var(--mantine-color-default-border)' }}>
        <div>
          <Title order={2}>{title}</Title>
          {about && (
            <Text c="dimmed" size="xs" component="div">
              {about}
            </Text>
          )}
        </div>
        {actions && <Group gap="xs">{actions}</Group>}
      </Group>
      <div style={padded ? { padding: 'var(--mantine-spacing-md)' } : undefined}>{children}</div>
    </Paper>
  );
}
