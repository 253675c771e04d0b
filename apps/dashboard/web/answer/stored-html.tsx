import { Anchor, Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useState } from 'react';
import { Empty } from '../ui/empty';

/** Stored pages in a frame that runs none of their scripts, opens nothing and belongs to no origin. */
export function StoredHtml({ urls }: { urls: string[] }) {
  const [page, setPage] = useState(0);
  const url = urls[page];
  if (url === undefined) return <Empty title="No stored HTML">It is kept when a request asks for it with include.html, for a day.</Empty>;
  return (
    <Stack gap="sm">
      <Group justify="space-between">
        {urls.length > 1 ? (
          <SegmentedControl
            aria-label="Page"
            value={String(page)}
            onChange={(value) => setPage(Number(value))}
            data={urls.map((_, index) => ({ value: String(index), label: `Page ${index + 1}` }))}
          />
        ) : (
          <Text c="dimmed">As it was received, without its scripts.</Text>
        )}
        <Anchor href={url} target="_blank" rel="noopener noreferrer" size="sm">
          Open alone
        </Anchor>
      </Group>
      <iframe
        title={`Stored page ${page + 1}`}
        src={url}
        sandbox=""
        referrerPolicy="no-referrer"
        style={{ width: '100%', height: '70vh', border: '1px solid var(--mantine-color-default-border)', borderRadius: 6, background: '#fff' }}
      />
    </Stack>
  );
}
