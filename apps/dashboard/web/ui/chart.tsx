import { Skeleton } from '@mantine/core';
import { type ComponentProps, lazy, Suspense } from 'react';

const Bars = lazy(async () => ({ default: (await import('./charts')).Bars }));

/** In pixels; what stands in for a chart is as high. */
export const CHART_HEIGHT = 240;

/** A bar chart, whose code is loaded when the first one is shown. */
export const Chart = (props: Omit<ComponentProps<typeof Bars>, 'height'>) => (
  <Suspense fallback={<Skeleton height={CHART_HEIGHT} />}>
    <Bars {...props} height={CHART_HEIGHT} />
  </Suspense>
);
