import { Stack, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import type { ReactNode } from 'react';

/** What stands where there is nothing yet: what would be there, and how it gets there. */
export function Empty({ title, children, action }: { title: string; children?: ReactNode; action?: ReactNode }) {
  return (
    <Stack align="center" gap="xs" py={48} px="md" ta="center">
      <IconInbox size={28} stroke={1.4} color="var(--mantine-color-dimmed)" aria-hidden />
      <Text fw={600} size="md">
        {title}
      </Text>
      {children && (
        <Text c="dimmed" maw={460} component="div">
          {children}
        </Text>
      )}
      {action}
    </Stack>
  );
}
