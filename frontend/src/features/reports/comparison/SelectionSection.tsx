import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text } from '@mantine/core';
import { useState } from 'react';
import type { Heat, HeatArm, HeatTrial, Report, RunSelection } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { nameOfState } from '@/domain/states';
import { formatValue } from '@/lib/format';
import { Section } from '../contents/Section';
import { figureColumn, GroupedTable, Percentile, ReportArm } from '../tables';

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

interface TrialRow extends HeatTrial {
  id: string;
}

const trialColumns = (report: Report, rows: readonly TrialRow[]): Column<TrialRow>[] => [
  { name: t`Order`, cell: ({ trial }) => trial.position + 1 },
  {
    name: t({ message: 'Heat', context: 'of a run that chooses its arms' }),
    cell: ({ trial }) => trial.heat,
  },
  { name: t`Block`, cell: ({ trial }) => trial.block },
  {
    name: t`Arm`,
    cell: ({ trial, usable, unusable_reason }) => {
      const state = nameOfState(trial.state);
      return (
        <span title={unusable_reason ?? undefined}>
          <ReportArm arms={report.arms} arm={trial.arm} />
          {!usable && ` ${t`(${state}, not used)`}`}
        </span>
      );
    },
  },
  figureColumn(t`Requests/s`, ({ requests_per_s }) => formatValue(requests_per_s, '')),
  figureColumn('p99', ({ latency }) => (
    <Percentile latency={latency} field="p99_us" peers={rows.map((row) => row.latency)} />
  )),
];

/** Every trial of the heats: none of them counts in the verdict. */
function HeatTrials({ report }: { report: Report }) {
  const [isOpen, setOpen] = useState(false);
  const rows = (report.heat_trials ?? []).map((one) => ({ ...one, id: one.trial.id }));
  if (rows.length === 0) return null;
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t`All trials of the heats, which the verdict does not count`}</summary>
      {isOpen && (
        <DataTable columns={trialColumns(report, rows)} rows={rows} minWidth={640} verticalSpacing={4} />
      )}
    </details>
  );
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
      <HeatTrials report={report} />
    </Section>
  );
}
