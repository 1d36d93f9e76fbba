import { t } from '@lingui/core/macro';
import { Table, Text } from '@mantine/core';
import type { ArmAnalysis, ArmMetric, MetricInfo, RunAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { BlockDots } from '@/components/charts/plots/BlockDots';
import { IntervalPlot } from '@/components/charts/plots/IntervalPlot';
import { ArmMark } from '@/components/experiments/ArmMark';
import { figure } from '@/components/verdict/ownWords';
import { VerdictBadge } from '@/components/verdict/VerdictBadge';
import { formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import tables from '../tables.module.css';
import { directions } from './directions';

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
  const [name, label] = [said(metric.title), arm.label];
  const values = entries.flatMap(({ result: { values: own } }) => own.map((item) => item.value));
  return result.values.length === 0 ? null : (
    <BlockDots
      dots={result.values}
      range={[Math.min(...values), Math.max(...values)]}
      color={armColor(index)}
      format={(value) => formatValue(value, metric.unit)}
      label={t`${name} of ${label} by block`}
    />
  );
}

/** The effect against the baseline with its interval and verdict, or why there is none. */
function Effect({ entry: { arm, index, result }, entries }: CellProps) {
  const { comparison } = result;
  const peers = entries.flatMap(({ result: { comparison: own } }) => own ?? []);
  if (!comparison)
    return (
      <Table.Td
        colSpan={3}
        c="var(--text-dim)"
        fz="xs"
        className={arm.is_baseline ? tables.ofBaseline : undefined}
      >
        {arm.is_baseline ? t`the baseline` : result.no_comparison_reason}
      </Table.Td>
    );
  const { text, ci_text } = comparison;
  const interval = ci_text ?? t`unknown`;
  return (
    <>
      <Table.Td className={tables.number}>
        <b>{text}</b>
        {ci_text && <small title={comparison.interval}>{figure(ci_text)}</small>}
      </Table.Td>
      <Table.Td>
        <IntervalPlot
          interval={comparison}
          peers={peers}
          color={armColor(index)}
          label={t`${text}, 95 % interval ${interval}`}
        />
      </Table.Td>
      <Table.Td>
        <VerdictBadge comparison={comparison} />
      </Table.Td>
    </>
  );
}

function meanWords({ mean_kind, values }: ArmMetric): string {
  const count = values.length;
  return mean_kind === 'geometric'
    ? t`geometric mean of ${count} blocks`
    : t`arithmetic mean of ${count} blocks`;
}

function ArmCells(props: CellProps) {
  const { metric, entry } = props;
  const { arm, index, result } = entry;
  return (
    <>
      <Table.Td className={tables.armCell}>
        <ArmMark index={index} label={arm.label} baseline={arm.is_baseline} />
      </Table.Td>
      <Table.Td className={tables.number} title={meanWords(result)}>
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

/** One metric, arm beside arm. */
export function MetricRows({ metric, analysis }: { metric: MetricInfo; analysis: RunAnalysis }) {
  const entries = entriesOf(analysis, metric);
  return (
    <Table.Tbody>
      {entries.map((entry, row) => (
        <Table.Tr key={entry.arm.key}>
          {row === 0 && (
            <Table.Th scope="rowgroup" rowSpan={entries.length} className={tables.metric}>
              {said(metric.title)}
              <Text size="xs" c="var(--text-dim)" fw={400}>
                {directions()[metric.direction]}
              </Text>
            </Table.Th>
          )}
          <ArmCells metric={metric} entry={entry} entries={entries} />
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}
