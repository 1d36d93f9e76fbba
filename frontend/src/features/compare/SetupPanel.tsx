import { t } from '@lingui/core/macro';
import { SegmentedControl, Table } from '@mantine/core';
import type { Difference, RunComparison, SetupDiff } from '@/api/generated';
import { UnifiedDiff } from '@/components/ui/code/UnifiedDiff';
import { Panel } from '@/components/ui/Panel';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { named, said } from '@/lib/language/serverText';
import classes from './SetupPanel.module.css';
import type { Asked } from './useAsked';

interface Props {
  comparison: RunComparison;
  /** Missing where there is nothing to change. */
  ask?: (changes: Partial<Asked>) => void;
}

interface Value {
  of: string;
  value: string;
}

/** A fact's values, a line for each run: arms of a run that have the same share it. */
function valuesOf(difference: Difference, { runs, arms }: RunComparison): Value[] {
  return runs.flatMap((run) => {
    const own = arms.filter(({ run_id, key }) => run_id === run.id && key in difference.values);
    const distinct = [...new Set(own.map(({ key }) => said(difference.values[key] ?? '')))];
    if (distinct.length < 2) return distinct.map((value) => ({ of: run.label, value }));
    return own.map(({ key, label }) => ({
      of: `${run.label}, ${named(label)}`,
      value: said(difference.values[key] ?? ''),
    }));
  });
}

const rolesOf = (found: readonly Difference[]) =>
  found.filter(({ role }) => role === 'factor').map(({ key }) => key);

function RoleChoice({ difference, props }: { difference: Difference; props: Props }) {
  const { comparison, ask } = props;
  const title = said(difference.title);
  if (!ask) return difference.role === 'factor' ? t`Factor` : t`Confounder`;
  const choose = (role: string) => {
    const others = rolesOf(comparison.differences).filter((key) => key !== difference.key);
    const factors = role === 'factor' ? [...others, difference.key] : others;
    ask({ factors: factors.length > 0 ? factors : ['none'] });
  };
  return (
    <SegmentedControl
      size="xs"
      aria-label={t`Role of ${title}`}
      value={difference.role}
      onChange={choose}
      data={[
        { value: 'factor', label: t`Factor` },
        { value: 'confounder', label: t`Confounder` },
      ]}
    />
  );
}

function DifferenceRow({ difference, props }: { difference: Difference; props: Props }) {
  return (
    <Table.Tr>
      <Table.Th scope="row" className={classes.title}>
        {said(difference.title)}
      </Table.Th>
      <Table.Td>
        <ul className={classes.values}>
          {valuesOf(difference, props.comparison).map(({ of, value }) => (
            <li key={of}>
              <span className={classes.of}>{of}</span> {value}
            </li>
          ))}
        </ul>
      </Table.Td>
      <Table.Td className={classes.role}>
        <RoleChoice difference={difference} props={props} />
      </Table.Td>
    </Table.Tr>
  );
}

function Diff({ diff: { what, before, after, text } }: { diff: SetupDiff }) {
  const title = `${what === 'definition' ? t`Definition` : 'nginx.conf'}: ${before} → ${after}`;
  return (
    <details className={classes.diff}>
      <summary>{title}</summary>
      <UnifiedDiff text={text} label={title} />
    </details>
  );
}

/** What differs between the set-ups: what the comparison is about, and what else may explain its result. */
export function SetupPanel(props: Props) {
  const { differences, diffs } = props.comparison;
  return (
    <Panel
      title={t`What differs in set-up`}
      note={t`A factor is what you ask about. A confounder is what else differs, and may explain a difference as well.`}
      flush
    >
      {differences.length === 0 ? (
        <p className={classes.nothing}>{t`Nothing that is recorded differs between the compared arms.`}</p>
      ) : (
        <Table className={classes.table}>
          <HeadRow columns={[t`What`, t`Values`, t({ message: 'Role', context: 'comparison' })]} />
          <Table.Tbody>
            {differences.map((one) => (
              <DifferenceRow key={one.key} difference={one} props={props} />
            ))}
          </Table.Tbody>
        </Table>
      )}
      {diffs.map((diff) => (
        <Diff key={`${diff.what} ${diff.before} ${diff.after}`} diff={diff} />
      ))}
    </Panel>
  );
}
