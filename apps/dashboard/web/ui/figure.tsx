import { Paper, Skeleton, Text } from '@mantine/core';
import type { ReactNode } from 'react';

/** A number worth a frame of its own. Without a value yet its place is held. */
export function Figure({ name, value, note }: { name: string; value: ReactNode; note?: ReactNode }) {
  return (
    <Paper p="md">
      <Text size="xs" c="dimmed" fw={500}>
        {name}
      </Text>
      <div style={{ minHeight: 34, display: 'flex', alignItems: 'center' }}>
        {value === undefined || value === false ? (
          <Skeleton height={22} width={90} />
        ) : (
          <Text fz={{ base: 18, sm: 22 }} fw={600} className="number line">
            {value}
          </Text>
        )}
      </div>
      {note && (
        <Text size="xs" c="dimmed">
          {note}
        </Text>
      )}
    </Paper>
  );
}
