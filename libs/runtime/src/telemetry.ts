import { metrics, type Meter } from '@opentelemetry/api';

/** Instruments of one part of the product. Ask for it when first used: what is made before `startMetrics` measures nothing. */
export const meter = (part: string): Meter => metrics.getMeter(part);
