import '@mantine/charts/styles.css';
import { BarChart, LineChart } from '@mantine/charts';
import { Box } from '@mantine/core';

/** Told apart by light and dark as well as by hue, in both themes. */
const COLORS = ['iris.5', 'teal.5', 'orange.5', 'pink.6', 'cyan.6', 'lime.6', 'grape.5', 'yellow.5'];

interface Props {
  /** Read out in place of the picture. */
  label: string;
  data: Record<string, string | number>[];
  /** The field along the axis. */
  by: string;
  series: string[];
  /** How values are written. */
  write: (value: number) => string;
}

const seriesOf = (names: string[]) => names.map((name, index) => ({ name, color: COLORS[index % COLORS.length]! }));

export const Bars = ({ label, data, by, series, write }: Props) => (
  <Box role="img" aria-label={label}>
    <BarChart
      h={240}
      data={data}
      dataKey={by}
      type="stacked"
      series={seriesOf(series)}
      valueFormatter={write}
      withLegend={series.length > 1}
      legendProps={{ verticalAlign: 'bottom' }}
      tickLine="none"
      barProps={{ isAnimationActive: false, maxBarSize: 36 }}
    />
  </Box>
);

export const Lines = ({ label, data, by, series, write }: Props) => (
  <Box role="img" aria-label={label}>
    <LineChart
      h={240}
      data={data}
      dataKey={by}
      series={seriesOf(series)}
      valueFormatter={write}
      withLegend={series.length > 1}
      legendProps={{ verticalAlign: 'bottom' }}
      tickLine="none"
      curveType="monotone"
      lineProps={{ isAnimationActive: false }}
    />
  </Box>
);
