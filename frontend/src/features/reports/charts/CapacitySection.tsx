import { t } from '@lingui/core/macro';
import { useState } from 'react';
import type { ArmMetric, CapacitySearch, CapacityTried, Report } from '@/api/generated';
import { intervalOf, resultNames, SearchChart, type Searched } from '@/components/capacity/SearchChart';
import { armColor, armDash } from '@/components/charts/palette';
import { BlockDots } from '@/components/charts/plots/BlockDots';
import { ServerText } from '@/components/ui/language/ServerText';
import type { Column } from '@/components/ui/table/DataTable';
import { armLabel } from '@/domain/trials';
import { formatMicroseconds, formatNumber, formatValue, range } from '@/lib/format';
import { type Said, said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import { figureColumn, GroupedTable, ReportArm } from '../tables';
import { csv, PERCENTILES, SaveCsv, TRIED } from './triedRates';

const METRIC = 'capacity_per_s';

interface Row {
  id: string;
  block: number;
  search: CapacitySearch;
}

interface Arm {
  id: string;
  index: number;
  label: string;
  metric: ArmMetric | undefined;
  rows: Row[];
}

/** Arms with searches; of several attempts at a block, the one that counts. */
function armsOf({ analysis, arms, trials }: Report): Arm[] {
  return arms.flatMap(({ key }, index) => {
    const own = trials.filter(({ trial, summary }) => trial.arm === key && summary.usable);
    const rows = own.flatMap(({ trial, summary }) =>
      (summary.searches ?? []).map((search) => ({ id: trial.id, block: trial.block, search })),
    );
    const result = analysis.arms.find((arm) => arm.key === key);
    const metric = result?.metrics.find((one) => one.metric === METRIC);
    return rows.length > 0 ? [{ id: key, index, label: armLabel(arms, key), metric, rows }] : [];
  });
}

const perS = (rate: number | null) => (rate === null ? '–' : formatNumber(Math.round(rate)));

function betweenText({ met_per_s, missed_per_s }: CapacitySearch): string {
  if (met_per_s === null && missed_per_s === null) return '–';
  return range(perS(met_per_s), perS(missed_per_s));
}

const Why = ({ text }: { text: Said }) => (
  <span style={{ display: 'inline-block', maxWidth: '22ch', whiteSpace: 'normal', fontSize: 12 }}>
    <ServerText text={text} />
  </span>
);

const trialColumns = (): Column<Row>[] => [
  figureColumn(t`Block`, ({ block }) => block),
  figureColumn(t`Capacity`, ({ search }) =>
    search.without_value ? (
      <Why text={search.without_value} />
    ) : (
      formatValue(search.capacity_per_s, 'requests/s')
    ),
  ),
  figureColumn(t`By this search alone`, ({ search }) => intervalOf(search) ?? '–'),
  figureColumn(t`Met to missed`, ({ search }) => betweenText(search)),
  figureColumn(t`Bound that was missed beyond`, ({ search: { binding_text } }) =>
    binding_text ? <ServerText text={binding_text} /> : '–',
  ),
  figureColumn(t`Rates tried`, ({ search: { steps } }) => steps.length),
];

function armColumns(report: Report, span: readonly [number, number]): Column<Arm>[] {
  return [
    { name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> },
    {
      name: t`Mean, and each block`,
      cell: ({ metric, index, label }) => (
        <>
          {formatValue(metric?.mean, 'requests/s')}
          <br />
          <BlockDots
            dots={metric?.values ?? []}
            range={span}
            color={armColor(index)}
            format={(value) => formatValue(value, 'requests/s')}
            label={t`Capacity of ${label} by block`}
          />
        </>
      ),
    },
    {
      name: t`Against the baseline`,
      cell: ({ metric }) => {
        const compared = metric?.comparison;
        if (!compared)
          return metric?.no_comparison_reason ? <ServerText text={metric.no_comparison_reason} /> : '–';
        return compared.ci_text ? `${compared.text} (${said(compared.ci_text)})` : compared.text;
      },
    },
  ];
}

const FIELDS = [...TRIED, 'result', 'reason'] as const satisfies readonly (keyof CapacityTried)[];

/** Every step of every search, a line each. */
export function stepsCsv(arms: readonly Arm[]): string {
  const lines = arms.flatMap(({ id, rows }) =>
    rows.flatMap(({ block, search }) =>
      search.steps.map((step) => [id, block, ...FIELDS.map((name) => step[name])]),
    ),
  );
  return csv([['arm', 'block', ...FIELDS], ...lines]);
}

interface Step {
  id: string;
  block: number;
  step: CapacityTried;
}

const percentiles = (): Column<Step>[] =>
  PERCENTILES.map(([key, name]) => figureColumn(name, ({ step }) => formatMicroseconds(step[key])));

function stepColumns(): Column<Step>[] {
  return [
    figureColumn(t`Block`, ({ block }) => block),
    figureColumn(t`Step`, ({ step }) => step.number),
    figureColumn(t`Due per s`, ({ step }) => formatNumber(step.per_s)),
    figureColumn(t`Served per s`, ({ step }) => formatNumber(step.achieved_per_s)),
    figureColumn(t`Not served`, ({ step }) => formatNumber(step.failed)),
    ...percentiles(),
    {
      name: t`Goal`,
      cell: ({ step }) => [resultNames()[step.result], step.reason].filter(Boolean).join(', '),
    },
  ];
}

function StepTable({ report, arms }: { report: Report; arms: readonly Arm[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t`All rates that were tried`}</summary>
      {isOpen && (
        <GroupedTable
          groups={arms}
          rowsOf={({ rows }) =>
            rows.flatMap(({ id, block, search }) =>
              search.steps.map((step) => ({ id: `${id} ${step.number}`, block, step })),
            )
          }
          groupColumns={[{ name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> }]}
          columns={stepColumns()}
          minWidth={900}
        />
      )}
    </details>
  );
}

function searchedOf({ index, label, rows }: Arm): Searched[] {
  const [first] = rows;
  if (!first) return [];
  const steps = rows.flatMap(({ block, search }) =>
    search.steps.map((step) => ({ step, of: t`block ${block}` })),
  );
  return [{ label, color: armColor(index), dash: armDash(index), search: first.search, steps }];
}

/** What each trial's search found, and every rate that was tried. Renders nothing where no stream searches. */
export function CapacitySection({ report }: { report: Report }) {
  const arms = armsOf(report);
  const [first, ...others] = arms.flatMap(searchedOf);
  if (!first) return null;
  const goals = new Set(arms.flatMap(({ rows }) => rows.map(({ search }) => said(search.goal_text))));
  const goal = [...goals].join('; ');
  const values = arms.flatMap(({ metric }) => metric?.values.map(({ value }) => value) ?? []);
  const span = [Math.min(...values), Math.max(...values)] as const;
  return (
    <Section
      id="capacity"
      title={t`Capacity`}
      note={t`The highest rate at ${goal}, as each trial’s search found it. What one search knew of itself stands beside it; claims rest on how blocks differ.`}
      actions={<SaveCsv label={t`Steps as CSV`} name="capacity-steps.csv" text={() => stepsCsv(arms)} />}
    >
      <GroupedTable
        groups={arms}
        rowsOf={({ rows }) => rows}
        groupColumns={armColumns(report, span)}
        columns={trialColumns()}
        minWidth={820}
        mb="md"
      />
      <SearchChart searched={[first, ...others]} />
      <StepTable report={report} arms={arms} />
    </Section>
  );
}
