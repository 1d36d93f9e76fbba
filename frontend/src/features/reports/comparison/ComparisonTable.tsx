import { Table, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import type { ArmAnalysis, ArmMetric, MetricInfo, RunAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { BlockDots } from '@/components/charts/plots/BlockDots';
import { IntervalPlot } from '@/components/charts/plots/IntervalPlot';
import { ArmMark } from '@/components/experiments/ArmMark';
import { formatValue } from '@/lib/format';
import tables from '../tables.module.css';
import { VerdictBadge } from '../verdict/VerdictBadge';
import classes from './ComparisonTable.module.css';
import { groupsOf } from './metricGroups';

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

function Row({ metric, entry, entries }: { metric: MetricInfo; entry: Entry; entries: readonly Entry[] }) {
  const { arm, index, result } = entry;
  const { comparison } = result;
  const values = entries.flatMap(({ result: { values: own } }) => own.map((item) => item.value));
  const peers = entries.flatMap(({ result: { comparison: own } }) => own ?? []);
  const format = (value: number | null) => formatValue(value, metric.unit);
  return (
    <>
      <Table.Td>
        <ArmMark index={index} label={arm.label} baseline={arm.is_baseline} />
      </Table.Td>
      <Table.Td
        className={tables.number}
        title={`${result.mean_kind} mean of ${result.values.length} blocks`}
      >
        {format(result.mean)}
      </Table.Td>
      <Table.Td>
        {result.values.length > 0 && (
          <BlockDots
            dots={result.values}
            range={[Math.min(...values), Math.max(...values)]}
            color={armColor(index)}
            format={format}
            label={`${metric.title} of ${arm.label} by block`}
          />
        )}
      </Table.Td>
      {comparison ? (
        <>
          <Table.Td className={tables.number}>
            <b>{comparison.text}</b>
            {comparison.ci_text && <small>{comparison.ci_text}</small>}
          </Table.Td>
          <Table.Td>
            <IntervalPlot
              interval={comparison}
              peers={peers}
              color={armColor(index)}
              label={`${comparison.text}, 95 % interval ${comparison.ci_text ?? 'not known'}`}
            />
          </Table.Td>
          <Table.Td>
            <VerdictBadge comparison={comparison} />
          </Table.Td>
        </>
      ) : (
        <Table.Td colSpan={3} c="var(--text-dim)" fz="xs">
          {arm.is_baseline ? 'what the others are compared with' : result.no_comparison_reason}
        </Table.Td>
      )}
    </>
  );
}

const DIRECTIONS = {
  more_is_better: 'more is better',
  less_is_better: 'less is better',
  neutral: 'neither is better',
};

/** One metric, arm beside arm. */
function Metric({ metric, analysis }: { metric: MetricInfo; analysis: RunAnalysis }) {
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
          <Row metric={metric} entry={entry} entries={entries} />
        </Table.Tr>
      ))}
    </Table.Tbody>
  );
}

/** Every metric by arm: value, blocks, effect against the baseline with its 95 % interval, verdict; by groups. */
export function ComparisonTable({ analysis }: { analysis: RunAnalysis }) {
  const groups = groupsOf(analysis);
  const [toggled, setToggled] = useState<readonly string[]>([]);
  const toggle = (key: string) =>
    setToggled((now) => (now.includes(key) ? now.filter((one) => one !== key) : [...now, key]));
  return (
    <Table.ScrollContainer minWidth={880} type="native">
      <Table verticalSpacing={5} className={tables.comparison}>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Metric</Table.Th>
            <Table.Th>Arm</Table.Th>
            <Table.Th ta="right">Mean</Table.Th>
            <Table.Th>By block</Table.Th>
            <Table.Th ta="right" style={{ whiteSpace: 'nowrap' }}>
              Against baseline, 95 % CI
            </Table.Th>
            <Table.Th ta="center">No change</Table.Th>
            <Table.Th>Verdict</Table.Th>
          </Table.Tr>
        </Table.Thead>
        {groups.map(({ key, title, metrics, first }) => {
          const isOpen = first !== toggled.includes(key);
          return (
            <Fragment key={key}>
              {groups.length > 1 && (
                <GroupHead
                  title={title}
                  count={metrics.length}
                  isOpen={isOpen}
                  onToggle={() => toggle(key)}
                />
              )}
              {isOpen &&
                metrics.map((metric) => <Metric key={metric.key} metric={metric} analysis={analysis} />)}
            </Fragment>
          );
        })}
      </Table>
    </Table.ScrollContainer>
  );
}

function GroupHead(props: { title: string; count: number; isOpen: boolean; onToggle: () => void }) {
  const { title, count, isOpen, onToggle } = props;
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <Table.Tbody>
      <Table.Tr>
        <Table.Th colSpan={7} scope="rowgroup" className={classes.groupHead}>
          <button type="button" aria-expanded={isOpen} onClick={onToggle}>
            <Sign size={14} aria-hidden />
            {title}
            <span>{count === 1 ? '1 metric' : `${count} metrics`}</span>
          </button>
        </Table.Th>
      </Table.Tr>
    </Table.Tbody>
  );
}
