import { Table } from '@mantine/core';
import { useMemo } from 'react';
import type { Report } from '@/api/generated';
import { DistributionChart } from '@/components/charts/distribution/DistributionChart';
import { armColor, armDash } from '@/components/charts/palette';
import { ArmMark } from '@/components/experiments/ArmMark';
import { Panel } from '@/components/ui/Panel';
import { formatMicroseconds, formatNumber } from '@/lib/format';
import { basesOfTotals } from '../streams/bases';
import { LatencyBasis } from '../streams/LatencyBasis';
import classes from '../tables.module.css';

/** The latency of all responses of an arm, pooled from the trials' own histograms. */
export function DistributionSection({ report }: { report: Report }) {
  const { arms } = report.analysis;
  const lines = useMemo(
    () =>
      arms.map((arm, index) => ({
        label: arm.label,
        color: armColor(index),
        dash: armDash(index),
        points: arm.distribution,
      })),
    [arms],
  );
  if (arms.every((arm) => arm.distribution.length === 0)) return null;
  return (
    <Panel
      title="Latency of all responses"
      actions={<LatencyBasis bases={basesOfTotals(report)} />}
      note="Histograms of all trials of an arm, merged. Time across (logarithmic), share of responses done within it up, on an axis that opens the tail."
    >
      <DistributionChart lines={lines} />
      <Table.ScrollContainer minWidth={620} type="native">
        <Table verticalSpacing={4} mt="sm">
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Arm</Table.Th>
              {['Responses', 'Mean', 'SD', 'p50', 'p90', 'p99', 'p99.9', 'Max'].map((name) => (
                <Table.Th key={name} ta="right">
                  {name}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {arms.map(({ key, label, latency }, index) => (
              <Table.Tr key={key}>
                <Table.Td>
                  <ArmMark index={index} label={label} />
                </Table.Td>
                <Table.Td className={classes.number}>{formatNumber(latency?.count)}</Table.Td>
                {(['mean_us', 'stdev_us', 'p50_us', 'p90_us', 'p99_us', 'p999_us', 'max_us'] as const).map(
                  (field) => (
                    <Table.Td key={field} className={classes.number}>
                      {formatMicroseconds(latency?.[field])}
                    </Table.Td>
                  ),
                )}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Panel>
  );
}
