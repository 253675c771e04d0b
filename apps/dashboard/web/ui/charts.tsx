import '@mantine/charts/styles.css';
import { BarChart } from '@mantine/charts';
import { Box } from '@mantine/core';

/** Told apart in both themes. */
const COLORS = ['iris.5', 'teal.5', 'orange.5', 'pink.6', 'cyan.6', 'lime.6', 'grape.5', 'yellow.5'];

interface Props {
  /** Read out in place of the picture. */
  label: string;
  /** In pixels. */
  height: number;
  data: Record<string, string | number>[];
  /** The field along the axis. */
  by: string;
  series: string[];
  /** How values are written. */
  write: (value: number) => string;
  /** Beside each other instead of on top of each other. */
  isGrouped?: boolean;
  /** Where the axis ends; by itself at the highest value. */
  max?: number;
}

/** Bars over days or names. */
export const Bars = ({ label, height, data, by, series, write, isGrouped = false, max }: Props) => (
  <Box role="img" aria-label={label}>
    <BarChart
      h={height}
      data={data}
      dataKey={by}
      type={isGrouped ? 'default' : 'stacked'}
      series={series.map((name, index) => ({ name, color: COLORS[index % COLORS.length]! }))}
      valueFormatter={write}
      withLegend={series.length > 1}
      legendProps={{ verticalAlign: 'bottom' }}
      tickLine="none"
      yAxisProps={{ width: 64, ...(max !== undefined && { domain: [0, max] }) }}
      barProps={{ isAnimationActive: false, maxBarSize: 32 }}
      barChartProps={{ accessibilityLayer: false }}
    />
  </Box>
);
