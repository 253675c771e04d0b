import { Group, Text } from '@mantine/core';

export const Brand = () => (
  <Group gap={8} wrap="nowrap">
    <img src="/icon.svg" alt="" width={24} height={24} />
    <Text fw={650} size="md" span>
      Overheard
    </Text>
  </Group>
);
