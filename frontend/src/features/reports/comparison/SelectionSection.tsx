import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import type { Heat, HeatArm, Report, RunSelection } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import type { Column } from '@/components/ui/table/DataTable';
import { formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import { figureColumn, GroupedTable, ReportArm } from '../tables';

interface Row {
  id: string;
  arm: HeatArm;
}

interface Group {
  id: string;
  heat: Heat;
}

interface Props {
  report: Report;
  selection: RunSelection;
}

function columnsOf({ report, selection }: Props): Column<Row>[] {
  return [
    { name: t`Arm`, cell: ({ arm }) => <ReportArm arms={report.arms} arm={arm.arm} /> },
    figureColumn(t`Mean so far`, ({ arm }) =>
      arm.mean == null ? '–' : formatValue(arm.mean, selection.unit),
    ),
    figureColumn(t`Against the baseline`, ({ arm }) => (arm.text ? <ServerText text={arm.text} /> : '–')),
    {
      name: t`Then`,
      cell: ({ arm }) =>
        arm.reason ? <ServerText text={arm.reason} /> : t({ message: 'stayed', context: 'arm' }),
    },
  ];
}

/** Of a run that began with many arms: who went when and why, and how sure the choice is. */
export function SelectionSection({ report, selection }: Props) {
  const groups = selection.heats.map<Group>((heat) => ({ id: String(heat.number), heat }));
  const { blocks } = selection;
  return (
    <Section
      id="selection"
      title={t`Choice of the arms`}
      note={t`Each heat had ${blocks} blocks of its own. What it measured chose the arms and is in no verdict: the winner of many is flattered by its luck.`}
    >
      <Text size="sm">
        <ServerText text={selection.text} />
      </Text>
      {selection.error && (
        <Text size="sm" mt={6}>
          <ServerText text={selection.error} />
        </Text>
      )}
      {groups.length > 0 && (
        <GroupedTable
          groups={groups}
          rowsOf={({ heat }) => heat.arms.map((arm) => ({ id: arm.arm, arm }))}
          groupColumns={[
            {
              name: t`Heat`,
              cell: ({ heat: { number } }) => (
                <Trans context="of a run that chooses its arms">Heat {number}</Trans>
              ),
            },
          ]}
          columns={columnsOf({ report, selection })}
          minWidth={640}
          mt="sm"
        />
      )}
    </Section>
  );
}
