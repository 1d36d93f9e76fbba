import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { useMemo } from 'react';
import type { Report } from '@/api/generated';
import { DistributionChart } from '@/components/charts/lineCharts';
import { armColor, armDash } from '@/components/charts/palette';
import { ArmMark } from '@/components/experiments/ArmMark';
import { HeadRow, numeric } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatMicroseconds, formatNumber } from '@/lib/format';
import { Section } from '../contents/Section';
import { EmbedButton } from '../embed/EmbedButton';
import { LATENCY } from '../embed/snippet';
import { Percentile } from '../Percentile';
import { basesOfTotals, LatencyBasis } from '../streams/LatencyBasis';
import classes from '../tables.module.css';

type Arms = Report['analysis']['arms'];

const TIMES = ['mean_us', 'stdev_us', 'p50_us', 'p90_us', 'p99_us', 'p999_us', 'max_us'] as const;
const columns = () => [
  t`Arm`,
  ...numeric(t`Responses`, t`Mean`, t`SD`, 'p50', 'p90', 'p99', 'p99.9', t`Max`),
];

function LatencyTable({ arms }: { arms: Arms }) {
  return (
    <WideTable minWidth={620}>
      <Table verticalSpacing={4} mt="sm">
        <HeadRow columns={columns()} />
        <Table.Tbody>
          {arms.map(({ key, label, latency }, index) => (
            <Table.Tr key={key}>
              <Table.Td>
                <ArmMark index={index} label={label} />
              </Table.Td>
              <Table.Td className={classes.number}>{formatNumber(latency?.count)}</Table.Td>
              {TIMES.map((field) => (
                <Table.Td key={field} className={classes.number}>
                  {field === 'p99_us' || field === 'p999_us' ? (
                    <Percentile latency={latency} field={field} />
                  ) : (
                    formatMicroseconds(latency?.[field])
                  )}
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}

export const distributionLines = (arms: Arms) =>
  arms.map(({ label, distribution }, index) => ({
    label,
    color: armColor(index),
    dash: armDash(index),
    points: distribution,
  }));

/** The latency of all responses of an arm, pooled from the trials' own histograms. */
export function DistributionSection({ report }: { report: Report }) {
  const { arms } = report.analysis;
  const lines = useMemo(() => distributionLines(arms), [arms]);
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
      <DistributionChart lines={lines} />
      <LatencyTable arms={arms} />
    </Section>
  );
}
