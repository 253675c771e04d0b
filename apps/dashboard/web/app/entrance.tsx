import { Center, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect } from 'react';
import { Brand } from './brand';

/** The frame of the pages before somebody is logged in. */
export function Entrance({ title, about, children }: { title: string; about?: ReactNode; children: ReactNode }) {
  useEffect(() => {
    document.title = `${title} · Overheard`;
  }, [title]);
  return (
    <Center component="main" mih="100dvh" p="md" style={{ background: 'var(--surface)' }}>
      <Stack w="100%" maw={380} gap="lg">
        <Brand />
        <Paper p="lg" shadow="xs">
          <Stack gap="md">
            <div>
              <Title order={1} size="h2">
                {title}
              </Title>
              {about && (
                <Text c="dimmed" mt={4}>
                  {about}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
      </Stack>
    </Center>
  );
}
