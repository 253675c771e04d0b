import { Text } from '@mantine/core';
import type { TimelineEvent } from '../../../src/api';
import { dateTime, duration } from '../../ui/format';
import classes from './timeline.module.css';

/** What happened to a request, each step with how long after the first it was. */
export function Timeline({ events }: { events: TimelineEvent[] }) {
  const first = new Date(events[0]?.at ?? 0).getTime();
  return (
    <ol className={classes.timeline}>
      {events.map((event, index) => {
        const { what, detail, tone } = wordsOf(event);
        return (
          <li key={index} data-tone={tone}>
            <div className={classes.line}>
              <Text fw={500}>{what}</Text>
              <time dateTime={event.at} title={dateTime(event.at)} className={classes.at}>
                {index === 0 ? dateTime(event.at) : `+${duration(new Date(event.at).getTime() - first)}`}
              </time>
            </div>
            {detail && (
              <Text size="xs" c="dimmed" className="break">
                {detail}
              </Text>
            )}
            {event.ms !== null && (
              <Text size="xs" c="dimmed">
                took {duration(event.ms)}
              </Text>
            )}
          </li>
        );
      })}
    </ol>
  );
}

interface Words {
  what: string;
  detail?: string | null;
  tone?: 'good' | 'bad';
}

function wordsOf(event: TimelineEvent): Words {
  switch (event.kind) {
    case 'queued':
      return { what: 'Received' };
    case 'published':
      return { what: 'Queued for a worker' };
    case 'started':
      return { what: 'Taken up by a worker' };
    case 'attempt':
      return event.reason === null
        ? { what: `Attempt ${event.attempt} answered`, tone: 'good' }
        : { what: `Attempt ${event.attempt}: ${event.reason.replaceAll('_', ' ')}`, detail: event.message, tone: 'bad' };
    case 'completed':
      return { what: 'Completed', tone: 'good' };
    case 'failed':
      return { what: `Failed with ${event.statusCode}`, tone: 'bad' };
    case 'refused':
      return { what: `Refused with ${event.statusCode}`, tone: 'bad' };
    case 'delivery':
      return event.statusCode !== null && event.statusCode < 300
        ? { what: `Webhook delivered (${event.statusCode})`, detail: event.attempt > 1 ? `attempt ${event.attempt}` : null, tone: 'good' }
        : { what: `Webhook attempt ${event.attempt} failed`, detail: event.error ?? `answered ${event.statusCode}`, tone: 'bad' };
  }
}
