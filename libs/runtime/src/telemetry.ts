import { type Attributes, type Counter, metrics, type Meter } from '@opentelemetry/api';

/** Instruments of one part of the product. Ask for it when first used: what is made before `startMetrics` measures nothing. */
export const meter = (part: string): Meter => metrics.getMeter(part);

/** A counter that a scrape shows from the start, so that the first increase is seen as one. `kinds` are the labels known beforehand. */
export function counterFromZero(part: string, name: string, description: string, kinds: Attributes[] = [{}]): Counter {
  const counter = meter(part).createCounter(name, { description });
  for (const labels of kinds) counter.add(0, labels);
  return counter;
}
