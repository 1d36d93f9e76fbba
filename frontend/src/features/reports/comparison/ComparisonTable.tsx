import { plural, t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { Fragment, useState } from 'react';
import type { RunAnalysis } from '@/api/generated';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import tables from '../tables.module.css';
import classes from './ComparisonTable.module.css';
import { MetricRows } from './MetricRows';
import { groupsOf } from './metricGroups';

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
    { name: t`Against baseline, 95 % CI`, align: 'right', nowrap: true },
    { name: t`No change`, align: 'center' },
    t`Verdict`,
  ] as const;

/** Every metric by arm: value, blocks, effect against the baseline with its 95 % interval, verdict; by groups. */
export function ComparisonTable({ analysis }: { analysis: RunAnalysis }) {
  const groups = groupsOf(analysis);
  const [toggled, setToggled] = useState<readonly string[]>([]);
  const toggle = (key: string) =>
    setToggled((now) => (now.includes(key) ? now.filter((one) => one !== key) : [...now, key]));
  return (
    <WideTable minWidth={880}>
      <Table verticalSpacing={5} className={tables.comparison}>
        <HeadRow columns={columns()} />
        {groups.map(({ key, title, metrics, first }) => {
          const isOpen = first !== toggled.includes(key);
          const head = { title, count: metrics.length, isOpen, onToggle: () => toggle(key) };
          return (
            <Fragment key={key}>
              {groups.length > 1 && <GroupHead {...head} />}
              {isOpen &&
                metrics.map((metric) => <MetricRows key={metric.key} metric={metric} analysis={analysis} />)}
            </Fragment>
          );
        })}
      </Table>
    </WideTable>
  );
}
