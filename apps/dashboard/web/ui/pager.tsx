import { Button, Group } from '@mantine/core';
import { IconChevronLeft, IconChevronRight } from '@tabler/icons-react';

interface Props {
  cursor: string | undefined;
  nextCursor: string | null | undefined;
  onChange: (cursor: string | undefined) => void;
}

/** Through a list that is newest first: on to older entries, and back to the newest. */
export function Pager({ cursor, nextCursor, onChange }: Props) {
  if (cursor === undefined && !nextCursor) return null;
  return (
    <Group component="nav" aria-label="Pages of the list" justify="flex-end" p="sm" gap="xs">
      <Button
        size="xs"
        variant="default"
        leftSection={<IconChevronLeft size={14} aria-hidden />}
        disabled={cursor === undefined}
        onClick={() => onChange(undefined)}
      >
        Newest
      </Button>
      <Button
        size="xs"
        variant="default"
        rightSection={<IconChevronRight size={14} aria-hidden />}
        disabled={!nextCursor}
        onClick={() => onChange(nextCursor ?? undefined)}
      >
        Older
      </Button>
    </Group>
  );
}
