import { plural, t } from '@lingui/core/macro';
import { Table, Text } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import type { ArmAnalysis, ArmMetric, MetricInfo, RunAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { BlockDots } from '@/components/charts/plots/BlockDots';
import { IntervalPlot } from '@/components/charts/plots/IntervalPlot';
import { ArmMark } from '@/components/experiments/ArmMark';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { VerdictBadge } from '@/components/verdict/VerdictBadge';
import { directions } from '@/domain/directions';
import { formatAmong, formatValue } from '@/lib/format';
import { named, said } from '@/lib/language/serverText';
import tables from '../tables.module.css';
import classes from './ComparisonTable.module.css';
import { changesOf } from './changes';
import { changedFirst, groupsOf } from './metricGroups';
import { useOrder } from './useOrder';

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
  entry: Entry;
  entries: readonly Entry[];
}

/** One dot a block, on the range of all arms. */
function Blocks({ metric, entry: { arm, index, result }, entries }: CellProps & { metric: MetricInfo }) {
  const [name, label] = [said(metric.title), named(arm.label)];
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
        {arm.is_baseline ? t`the baseline` : said(result.no_comparison_reason ?? '')}
      </Table.Td>
    );
  const { text, ci_text } = comparison;
  const interval = said(ci_text ?? t`unknown`);
  const level = said(comparison.interval ?? '95 % CI');
  return (
    <>
      <Table.Td className={tables.number}>
        <b>{text}</b>
        {ci_text && <small>{interval}</small>}
        {ci_text && level && <small>{level}</small>}
      </Table.Td>
      <Table.Td>
        <IntervalPlot
          interval={comparison}
          peers={peers}
          color={armColor(index)}
          label={`${text}, ${level} ${interval}`}
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

/** One metric, arm beside arm. */
function MetricRows({ metric, analysis }: { metric: MetricInfo; analysis: RunAnalysis }) {
  const entries = entriesOf(analysis, metric);
  const means = entries.map(({ result }) => result.mean);
  return (
    <Table.Tbody>
      {entries.map((entry, row) => {
        const { arm, index, result } = entry;
        return (
          <Table.Tr key={arm.key}>
            {row === 0 && (
              <Table.Th scope="rowgroup" rowSpan={entries.length} className={tables.metric}>
                {said(metric.title)}
                <Text size="xs" c="var(--text-dim)" fw={400}>
                  {directions()[metric.direction]}
                </Text>
              </Table.Th>
            )}
            <Table.Td className={tables.armCell}>
              <ArmMark index={index} label={arm.label} baseline={arm.is_baseline} />
            </Table.Td>
            <Table.Td className={tables.number} title={meanWords(result)}>
              {formatAmong(result.mean, means, metric.unit)}
              {result.missing_reason && (
                <small className={tables.missing}>{said(result.missing_reason)}</small>
              )}
            </Table.Td>
            <Table.Td>
              <Blocks metric={metric} entry={entry} entries={entries} />
            </Table.Td>
            <Effect entry={entry} entries={entries} />
          </Table.Tr>
        );
      })}
    </Table.Tbody>
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
            <span>{plural(count, { one: '# metric', other: '# metrics' })}</span>
          </button>
        </Table.Th>
      </Table.Tr>
    </Table.Tbody>
  );
}

const columns = () =>
  [
    t`Metric`,
    t`Arm`,
    { name: t`Mean`, align: 'right' },
    t`By block`,
    { name: t`Against baseline`, align: 'right', nowrap: true },
    { name: t`No change`, align: 'center' },
    t`Verdict`,
  ] as const;

/** Every metric by arm: value, blocks, effect against the baseline with its interval, verdict; what changed, and groups. */
export function ComparisonTable({ analysis }: { analysis: RunAnalysis }) {
  const { isChangedFirst, button } = useOrder();
  const hasChanged = changesOf(analysis).length > 0;
  const groups = hasChanged && isChangedFirst ? changedFirst(analysis) : groupsOf(analysis);
  const [toggled, setToggled] = useState<readonly string[]>([]);
  const toggle = (key: string) =>
    setToggled((now) => (now.includes(key) ? now.filter((one) => one !== key) : [...now, key]));
  return (
    <>
      {hasChanged && <div className={classes.order}>{button}</div>}
      <WideTable minWidth={880}>
        <Table verticalSpacing={5} className={tables.comparison}>
          <HeadRow columns={columns()} />
          {groups.map(({ key, title, metrics, first }) => {
            const isOpen = first !== toggled.includes(key);
            const head = { title, count: metrics.length, isOpen, onToggle: () => toggle(key) };
            return (
              <Fragment key={key}>
                {(groups.length > 1 || key === 'changed') && <GroupHead {...head} />}
                {isOpen &&
                  metrics.map((metric) => (
                    <MetricRows key={metric.key} metric={metric} analysis={analysis} />
                  ))}
              </Fragment>
            );
          })}
        </Table>
      </WideTable>
    </>
  );
}
