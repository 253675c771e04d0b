import { type Attributes, type Counter, metrics, type Meter } from '@opentelemetry/api';

/** Instruments of one part of the product. Ask for it when first used: what is made before `startMetrics` measures nothing. */
export const meter = (part: string): Meter => metrics.getMeter(part);

/** Counts what the sweeps of this process found lost on its way, by the kind of repair. */
export function repairCounter<Repair extends string>(...repairs: Repair[]): (repair: Repair, count?: number) => void {
  const counter = counterFromZero(
    'sweeps',
    'sweep_repairs_total',
    'What was lost on its way and found by a sweep',
    repairs.map((repair) => ({ repair })),
  );
  return (repair, count = 1) => counter.add(count, { repair });
}

/** A counter that a scrape shows from the start, so that the first increase is seen as one. `kinds` are the labels known beforehand. */
export function counterFromZero(part: string, name: string, description: string, kinds: Attributes[] = [{}]): Counter {
  const counter = meter(part).createCounter(name, { description });
  for (const labels of kinds) counter.add(0, labels);
  return counter;
}
