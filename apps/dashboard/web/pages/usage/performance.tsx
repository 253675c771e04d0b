import { SegmentedControl, Select, SimpleGrid, Skeleton, Title } from '@mantine/core';
import { type ReactNode, useState } from 'react';
import type { Performance, PerformanceFigures } from '../../../src/api';
import type { usePerformance } from '../../api/queries';
import { Chart, CHART_HEIGHT } from '../../ui/chart';
import { Empty } from '../../ui/empty';
import { countryName, duration, number } from '../../ui/format';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { type Column, Table } from '../../ui/table';
import { percent, successPercent } from './sums';

type LabelOf = (provider: string) => string;

/** How often requests succeed and how long they take, as charts and as tables. */
export function PerformanceSections({ performance: { data, error, refetch }, labelOf }: { performance: ReturnType<typeof usePerformance>; labelOf: LabelOf }) {
  if (error && !data) return <Problem title="The performance could not be loaded" error={error} onRetry={() => void refetch()} />;
  return (
    <>
      {!data ? (
        <Section title="Success and latency">
          <Skeleton height={CHART_HEIGHT} />
        </Section>
      ) : (
        <Charts performance={data} labelOf={labelOf} />
      )}
      <Section title="Success and latency by provider" padded={false}>
        <Table
          label="Success and latency by provider"
          rows={data?.providers}
          expected={4}
          keyOf={({ provider }) => provider}
          columns={[{ name: 'Provider', cell: ({ provider }) => labelOf(provider) }, ...FIGURES]}
        />
      </Section>
      <Section title="Success and latency by country" padded={false}>
        {data?.countries.length === 0 ? (
          <Empty title="No request is over in these days" />
        ) : (
          <Table
            label="Success and latency by country"
            rows={data?.countries}
            expected={4}
            keyOf={({ provider, country }) => `${provider} ${country}`}
            columns={[
              { name: 'Country', cell: ({ country }) => `${countryName(country)} (${country})` },
              { name: 'Provider', cell: ({ provider }) => labelOf(provider) },
              ...FIGURES,
            ]}
          />
        )}
      </Section>
    </>
  );
}

/** The figures of all providers, or of one provider's countries. */
function Charts({ performance: { providers, countries, isPartial }, labelOf }: { performance: Performance; labelOf: LabelOf }) {
  const [by, setBy] = useState<'provider' | 'country'>('provider');
  const [chosen, setChosen] = useState<string>();
  const provider = chosen ?? providers[0]?.provider;
  const rows =
    by === 'provider'
      ? providers.map((row) => ({ name: labelOf(row.provider), ...row }))
      : countries.filter((row) => row.provider === provider).map((row) => ({ name: row.country, ...row }));
  const of = by === 'provider' ? 'by provider' : `of ${labelOf(provider ?? '')} by country`;
  return (
    <Section
      title="Success and latency"
      about={`Latency is that of successful requests${isPartial ? ', the newest 200,000' : ''}: half were faster than p50, 95 of 100 faster than p95.`}
      actions={
        providers.length > 0 && (
          <>
            {by === 'country' && (
              <Select
                aria-label="Provider"
                w={170}
                data={providers.map((row) => ({ value: row.provider, label: labelOf(row.provider) }))}
                value={provider ?? null}
                allowDeselect={false}
                onChange={(value) => setChosen(value ?? undefined)}
              />
            )}
            <SegmentedControl
              aria-label="Compare"
              data={[
                { value: 'provider', label: 'Providers' },
                { value: 'country', label: 'Countries' },
              ]}
              value={by}
              onChange={(value) => setBy(value as typeof by)}
            />
          </>
        )
      }
    >
      {rows.length === 0 ? (
        <Empty title="No request is over in these days">Ask something, or choose a longer range.</Empty>
      ) : (
        <SimpleGrid cols={{ base: 1, lg: 2 }}>
          <Captioned caption="Requests that succeeded">
            <Chart
              label={`Success ${of}: ${rows.map((row) => `${row.name} ${percent(successPercent(row) ?? 0)}`).join(', ')}.`}
              data={rows.map((row) => ({ name: row.name, Success: successPercent(row) ?? 0 }))}
              by="name"
              series={['Success']}
              write={percent}
              max={100}
            />
          </Captioned>
          <Captioned caption="Latency">
            <Chart
              label={`Latency ${of}, p50, p95 and p99. The tables below have the numbers.`}
              isGrouped
              data={rows.map(({ name, p50, p95, p99 }) => ({ name, p50: p50 ?? 0, p95: p95 ?? 0, p99: p99 ?? 0 }))}
              by="name"
              series={['p50', 'p95', 'p99']}
              write={duration}
            />
          </Captioned>
        </SimpleGrid>
      )}
    </Section>
  );
}

const Captioned = ({ caption, children }: { caption: string; children: ReactNode }) => (
  <div>
    <Title order={3} mb="xs">
      {caption}
    </Title>
    {children}
  </div>
);

const time = (ms: number | null) => (ms === null ? '–' : duration(ms));
const success = (figures: PerformanceFigures) => {
  const value = successPercent(figures);
  return value === null ? '–' : percent(value);
};

const FIGURES: Column<PerformanceFigures>[] = [
  { name: 'Requests', numeric: true, wideOnly: true, cell: ({ ok, failed }) => number(ok + failed) },
  { name: 'Success', numeric: true, cell: success },
  { name: 'p50', numeric: true, cell: ({ p50 }) => time(p50) },
  { name: 'p95', numeric: true, cell: ({ p95 }) => time(p95) },
  { name: 'p99', numeric: true, wideOnly: true, cell: ({ p99 }) => time(p99) },
];
