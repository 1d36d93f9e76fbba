import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { Report } from '@/api/generated';
import { DistributionChart } from '@/components/charts/lineCharts';
import { armColor, armDash } from '@/components/charts/palette';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { formatAmong, formatNumber } from '@/lib/format';
import { named } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import { EmbedButton } from '../embed/EmbedButton';
import { LATENCY } from '../embed/snippet';
import { armColumn, figureColumn, Percentile } from '../tables';
import { basesOfTotals, LatencyBasis } from '../verdict/Badges';

type Arms = Report['analysis']['arms'];

type Row = Arms[number] & { arm: string };

/** The columns of times, each in one unit. */
function timesOf(arms: Arms) {
  const peers = arms.map(({ latency }) => latency);
  return {
    timeColumn: (name: string, field: 'mean_us' | 'stdev_us' | 'p50_us' | 'p90_us' | 'max_us') =>
      figureColumn<Row>(name, ({ latency }) =>
        formatAmong(
          latency?.[field],
          peers.map((one) => one?.[field]),
          'us',
        ),
      ),
    tailColumn: (name: string, field: 'p99_us' | 'p999_us') =>
      figureColumn<Row>(name, ({ latency }) => <Percentile latency={latency} field={field} peers={peers} />),
  };
}

type Times = ReturnType<typeof timesOf>;

const columnsOf = (arms: Report['arms'], { timeColumn, tailColumn }: Times): Column<Row>[] => [
  armColumn(arms),
  figureColumn(t`Responses`, ({ latency }) => formatNumber(latency?.count)),
  timeColumn(t`Mean`, 'mean_us'),
  timeColumn(t`SD`, 'stdev_us'),
  timeColumn('p50', 'p50_us'),
  timeColumn('p90', 'p90_us'),
  tailColumn('p99', 'p99_us'),
  tailColumn('p99.9', 'p999_us'),
  timeColumn(t`Max`, 'max_us'),
];

/** The chart by itself. */
export function Distribution({ arms }: { arms: Arms }) {
  const lines = useMemo(
    () =>
      arms.map(({ label, distribution }, index) => ({
        label: named(label),
        color: armColor(index),
        dash: armDash(index),
        points: distribution,
      })),
    [arms],
  );
  return <DistributionChart lines={lines} />;
}

/** The latency of all responses of an arm, pooled from the trials' own histograms. */
export function DistributionSection({ report }: { report: Report }) {
  const { arms } = report.analysis;
  if (arms.every((arm) => arm.distribution.length === 0)) return null;
  return (
    <Section
      id="latency-of-all-responses"
      title={t`Latency of all responses`}
      actions={
        <>
          <LatencyBasis bases={basesOfTotals(report)} />
          <EmbedButton title={t`Latency of all responses`} place={{ key: LATENCY }} />
        </>
      }
      note={t`Merged histograms of all trials of an arm. The horizontal axis is time (logarithmic); the vertical axis is the share of responses within that time, stretched towards the tail.`}
    >
      <Distribution arms={arms} />
      <DataTable
        columns={columnsOf(report.arms, timesOf(arms))}
        rows={arms.map((arm) => ({ ...arm, id: arm.key, arm: arm.key }))}
        minWidth={620}
        verticalSpacing={4}
        mt="sm"
      />
    </Section>
  );
}
