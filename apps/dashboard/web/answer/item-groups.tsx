import { Badge, Group, Paper, Stack, Text } from '@mantine/core';
import { IconStarFilled } from '@tabler/icons-react';
import { OutsideLink } from '../ui/outside-link';
import classes from './answer.module.css';
import type { Item, ItemGroup } from './items';

/** Cards in groups, as many beside each other as fit. */
export function ItemGroups({ groups }: { groups: ItemGroup[] }) {
  return groups.map(({ title, items }, index) => (
    <Stack key={index} gap="xs">
      {title && <Text fw={500}>{title}</Text>}
      <ul className={classes.cards}>
        {items.map((item, position) => (
          <li key={position}>
            <Card item={item} />
          </li>
        ))}
      </ul>
    </Stack>
  ));
}

function Card({ item }: { item: Item }) {
  return (
    <Paper p="sm" h="100%" component={Stack} gap={4}>
      <Group justify="space-between" wrap="nowrap" align="flex-start" gap="xs">
        <Text fw={500} className="break" component="div">
          <OutsideLink url={item.url}>{item.title}</OutsideLink>
        </Text>
        {item.badge && (
          <Badge color="gray" flex="none">
            {item.badge}
          </Badge>
        )}
      </Group>
      {(item.price || item.rating !== undefined) && (
        <Group gap="sm">
          {item.price && <Text fw={600}>{item.price}</Text>}
          {item.oldPrice && (
            <Text c="dimmed" td="line-through">
              {item.oldPrice}
            </Text>
          )}
          {item.rating !== undefined && (
            <Group gap={4} c="dimmed">
              <IconStarFilled size={12} aria-hidden />
              <Text span>
                {item.rating}
                {item.reviews !== undefined && ` (${item.reviews})`}
              </Text>
            </Group>
          )}
        </Group>
      )}
      {item.facts.map((fact) => (
        <Text key={fact} c="dimmed" size="xs" className="break">
          {fact}
        </Text>
      ))}
      {item.description && <Text className="lines">{item.description}</Text>}
      {item.links && (
        <Group gap="sm">
          {item.links.map(({ title, url }, index) => (
            <Text key={index} size="xs">
              <OutsideLink url={url}>{title}</OutsideLink>
            </Text>
          ))}
        </Group>
      )}
    </Paper>
  );
}
