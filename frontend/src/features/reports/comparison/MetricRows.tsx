import { Table, Text } from '@mantine/core';
import type { ArmAnalysis, ArmMetric, MetricInfo, RunAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { BlockDots } from '@/components/charts/plots/BlockDots';
import { IntervalPlot } from '@/components/charts/plots/IntervalPlot';
import { ArmMark } from '@/components/experiments/ArmMark';
import { VerdictBadge } from '@/components/verdict/VerdictBadge';
import { formatValue } from '@/lib/format';
import tables from '../tables.module.css';

interface Entry {
  arm: ArmAnalysis;
  index: number;
  result: ArmMetric;
}

function entriesOf(analysis: RunAnalysis, metric: MetricInfo): Entry[] {
  return analysis.arms.flatMap((arm, index) => {
    const result = arm.metrics.find((candidate) => candidate.metric === metric.key);
    return result ? [{ arm, index, result }] : [];
  });
}

interface CellProps {
  metric: MetricInfo;
  entry: Entry;
  entries: readonly Entry[];
}

/** One dot a block, on the range of all arms. */
function Blocks({ metric, entry: { arm, index, result }, entries }: CellProps) {
  const values = entries.flatMap(({ result: { values: own } }) => own.map((item) => item.value));
  return result.values.length === 0 ? null : (
    <BlockDots
      dots={result.values}
      range={[Math.min(...values), Math.max(...values)]}
      color={armColor(index)}
      format={(value) => formatValue(value, metric.unit)}
      label={`${metric.title} of ${arm.label} by block`}
    />
  );
}

/** The effect against the baseline with its interval and verdict, or why there is none. */
function Effect({ entry: { arm, index, result }, entries }: CellProps) {
  const { comparison } = result;
  const peers = entries.flatMap(({ result: { comparison: own } }) => own ?? []);
  if (!comparison)
    return (
      <Table.Td colSpan={3} c="var(--text-dim)" fz="xs">
        {arm.is_baseline ? 'the baseline' : result.no_comparison_reason}
      </Table.Td>
    );
  return (
    <>
      <Table.Td className={tables.number}>
        <b>{comparison.text}</b>
        {comparison.ci_text && <small title={comparison.interval}>{comparison.ci_text}</small>}
      </Table.Td>
      <Table.Td>
        <IntervalPlot
          interval={comparison}
          peers={peers}
          color={armColor(index)}
          label={`${comparison.text}, 95 % interval ${comparison.ci_text ?? 'unknown'}`}
        />
      </Table.Td>
      <Table.Td>
        <VerdictBadge comparison={comparison} />
      </Table.Td>
    </>
  );
}

function ArmCells(props: CellProps) {
  const { metric, entry } = props;
  const { arm, index, result } = entry;
  return (
    <>
      <Table.Td className={tables.armCell}>
        <ArmMark index={index} label={arm.label} baseline={arm.is_baseline} />
      </Table.Td>
      <Table.Td
        className={tables.number}
        title={`${result.mean_kind} mean of ${result.values.length} blocks`}
      >
        {formatValue(result.mean, metric.unit)}
        {result.missing_reason && <small className={tables.missing}>{result.missing_reason}</small>}
      </Table.Td>
      <Table.Td>
        <Blocks {...props} />
      </Table.Td>
      <Effect {...props} />
    </>
  );
}

const DIRECTIONS = {
  more_is_better: 'more is better',
  less_is_better: 'less is better',
  neutral: 'neither is better',
};

/** One metric, arm beside arm. */
export function MetricRows({ metric, analysis }: { metric: MetricInfo; analysis: RunAnalysis }) {
  const entries = entriesOf(analysis, metric);
  return (
    <Table.Tbody>
      {entries.map((entry, row) => (
        <Table.Tr key={entry.arm.key}>
          {row === 0 && (
            <Table.Th scope="rowgroup" rowSpan={entries.length} className={tables.metric}>
              {metric.title}
              <Text size="xs" c="var(--text-dim)" fw={400}>
                {DIRECTIONS[metric.direction]}
              </Text>
            </Table.Th>
          )}
          <ArmCells metric={metric} entry={entry} entries={entries} />
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}
