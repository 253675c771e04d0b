import { Select, SimpleGrid, Skeleton, Text } from '@mantine/core';
import { useState } from 'react';
import type { KeyOfRequest, Usage, UsageSum } from '../../../src/api';
import { usePerformance, useProviders, useUsage } from '../../api/queries';
import { Chart, CHART_HEIGHT } from '../../ui/chart';
import { Empty } from '../../ui/empty';
import { Figure } from '../../ui/figure';
import { day, number } from '../../ui/format';
import { Page } from '../../ui/page';
import { Problem } from '../../ui/problem';
import { Section } from '../../ui/section';
import { type Column, Table } from '../../ui/table';
import { PerformanceSections } from './performance';
import { creditsByDay, lastDays, sumBy } from './sums';

/** The performance is looked up request by request, so its range is shorter. */
const PERFORMANCE_DAYS_MAX = 31;

/** Credits, success and latency. */
export function UsagePage() {
  const [days, setDays] = useState(30);
  const usage = useUsage(lastDays(days));
  const performance = usePerformance(lastDays(Math.min(days, PERFORMANCE_DAYS_MAX)));
  const { data: providers = [] } = useProviders();
  const labelOf = (id: string) => providers.find((provider) => provider.id === id)?.label ?? id;
  const { data, error } = usage;
  return (
    <Page
      title="Usage"
      about="Days are those of UTC."
      actions={
        <Select
          aria-label="Range"
          w={150}
          data={[
            { value: '7', label: 'Last 7 days' },
            { value: '30', label: 'Last 30 days' },
            { value: '90', label: 'Last 90 days' },
          ]}
          value={String(days)}
          allowDeselect={false}
          onChange={(value) => setDays(Number(value))}
        />
      }
    >
      {error && <Problem title="The usage could not be loaded" error={error} onRetry={() => void usage.refetch()} />}
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name="Balance" value={data && number(data.credits.balance)} note="credits to spend" />
        <Figure name="Reserved" value={data && number(data.credits.reserved)} note="held for what runs" />
        <Figure name="Charged" value={data && number(data.credits.charged)} note="in all" />
        <Figure name="Granted" value={data && number(data.credits.granted)} note="in all" />
      </SimpleGrid>
      <Section title="Credits by day">
        {!data ? (
          <Skeleton height={CHART_HEIGHT} />
        ) : data.days.length === 0 ? (
          <Empty title="Nothing was charged in these days">Ask something, or choose a longer range.</Empty>
        ) : (
          <CreditsChart usage={data} labelOf={labelOf} />
        )}
      </Section>
      <SimpleGrid cols={{ base: 1, lg: 2 }}>
        <Section title="By provider" padded={false}>
          <Table
            label="Usage by provider"
            rows={data && sumBy(data.days, ({ provider }) => provider)}
            expected={4}
            keyOf={({ of }) => of}
            columns={[{ name: 'Provider', cell: ({ of }) => labelOf(of) }, ...SUMS]}
          />
        </Section>
        <Section title="By key" padded={false}>
          <Table
            label="Usage by key"
            rows={data?.keys}
            expected={4}
            keyOf={({ key }) => key.id}
            columns={[{ name: 'Key', cell: ({ key }) => <KeyName value={key} /> }, ...SUMS]}
          />
        </Section>
      </SimpleGrid>
      <PerformanceSections performance={performance} labelOf={labelOf} />
    </Page>
  );
}

const KeyName = ({ value: { name, person } }: { value: KeyOfRequest }) => <Text className="break">{name ?? person ?? 'unknown'}</Text>;

const SUMS: Column<UsageSum>[] = [
  { name: 'Completed', numeric: true, cell: ({ completed }) => number(completed) },
  { name: 'Failed', numeric: true, cell: ({ failed }) => number(failed) },
  { name: 'Credits', numeric: true, cell: ({ credits }) => number(credits) },
];

function CreditsChart({ usage, labelOf }: { usage: Usage; labelOf: (provider: string) => string }) {
  const { data, series } = creditsByDay(usage, labelOf);
  const total = usage.days.reduce((sum, { credits }) => sum + credits, 0);
  return (
    <Chart
      label={`${number(total)} credits charged from ${day(usage.from)} to ${day(usage.to)}, by day and provider. The tables below have the numbers.`}
      data={data}
      by="day"
      series={series}
      write={number}
    />
  );
}
