import { domainOf } from '@overheard/providers/answer/addresses';
import { Badge, Button, Group, Text } from '@mantine/core';
import { IconCornerUpLeft } from '@tabler/icons-react';
import type { Ref } from 'react';
import { plural } from '../ui/format';
import { OutsideLink } from '../ui/outside-link';
import classes from './answer.module.css';
import type { Pill, Source } from './result';

interface Props {
  ref: Ref<HTMLDivElement>;
  id: string;
  sources: Source[];
  pills: Pill[];
  /** The position of the source that a pill led to. */
  chosen?: number;
  onBack: () => void;
}

/** The sources of an answer; the one that a pill led to is marked, and leads back. */
export function SourceList({ ref, id, sources, pills, chosen, onBack }: Props) {
  return (
    <div ref={ref} className={classes.sources}>
      <Text fw={600} id={id} mb="xs">
        {plural(sources.length, 'source')}
      </Text>
      <ol aria-labelledby={id}>
        {sources.map((source) => (
          <li key={source.position} data-position={source.position} data-chosen={chosen === source.position || undefined} tabIndex={-1}>
            <span className={classes.position}>{source.position}</span>
            <div className={classes.source}>
              <Text fw={500} className="break" component="div">
                <OutsideLink url={source.url}>{source.label}</OutsideLink>
              </Text>
              <Text c="dimmed" size="xs" className="line">
                {[domainOf(source.url), source.datePublished?.slice(0, 10), timesCited(source, pills)].filter(Boolean).join(' · ')}
              </Text>
              {source.description && (
                <Text size="xs" className="lines" mt={2}>
                  {source.description}
                </Text>
              )}
              <Group gap="xs" mt={2}>
                {source.footnote && (
                  <Badge size="xs" color="gray">
                    also read
                  </Badge>
                )}
                {source.confidence_level !== undefined && (
                  <Badge size="xs" color="gray">
                    {source.confidence_level} % confident
                  </Badge>
                )}
              </Group>
              {chosen === source.position && (
                <Button size="compact-xs" variant="subtle" leftSection={<IconCornerUpLeft size={12} />} onClick={onBack}>
                  Back to the text
                </Button>
              )}
            </div>
          </li>
        ))}
      </ol>
    </div>
  );
}

function timesCited(source: Source, pills: Pill[]): string | undefined {
  const times = pills.filter(({ position }) => position === source.position).length;
  return times === 0 ? undefined : times === 1 ? 'cited once' : `cited ${times} times`;
}
