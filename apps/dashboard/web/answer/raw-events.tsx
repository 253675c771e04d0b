import { Empty } from '../ui/empty';
import { JsonTree } from '../ui/json-tree';

/** What the upstream sent, event by event. */
export function RawEvents({ events }: { events: Record<string, unknown>[] | undefined }) {
  if (events === undefined || events.length === 0) {
    return <Empty title="No raw events">They are kept when a request asks for them with include.rawResponse.</Empty>;
  }
  return <JsonTree value={events} open={1} />;
}
