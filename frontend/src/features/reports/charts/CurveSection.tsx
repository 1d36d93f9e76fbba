import { t } from '@lingui/core/macro';
import { useMemo, useState } from 'react';
import type { ArmCurve, CurveFigure, CurvePoint, CurveRate, Report } from '@/api/generated';
import { type Curved, CurveView } from '@/components/capacity/CurveView';
import { armColor, armDash } from '@/components/charts/palette';
import { ServerText } from '@/components/ui/language/ServerText';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { armLabel } from '@/domain/trials';
import { formatMicroseconds, formatNumber, formatValue, range } from '@/lib/format';
import { Section } from '../contents/Section';
import { figureColumn, GroupedTable, ReportArm } from '../tables';
import { csv, PERCENTILES, SaveCsv, TRIED } from './triedRates';

interface Arm {
  id: string;
  index: number;
  label: string;
  curve: ArmCurve;
}

const armsOf = ({ analysis, arms }: Report): Arm[] =>
  arms.flatMap(({ key }, index) => {
    const curve = analysis.arms.find((arm) => arm.key === key)?.curve;
    return curve ? [{ id: key, index, label: armLabel(arms, key), curve }] : [];
  });

const perS = (rate: number) => formatNumber(rate >= 100 ? Math.round(rate) : rate);

/** `12,300 (12,100 to 12,500)`. */
function figureText(found: CurveFigure | null | undefined, format: (value: number) => string): string {
  if (!found) return '–';
  const { mean, low, high } = found;
  return low == null || high == null ? format(mean) : `${format(mean)} (${range(format(low), format(high))})`;
}

/** Up to which rate each arm's throughput follows. */
function Knee({ curve }: { curve: ArmCurve }) {
  if (!curve.knee) return curve.without_knee ? <ServerText text={curve.without_knee} /> : '–';
  return figureText(curve.knee, perS);
}

interface Row {
  id: string;
  point: CurvePoint;
}

function rateColumns(): Column<Row>[] {
  return [
    figureColumn(t`Due per s`, ({ point }) => perS(point.per_s)),
    figureColumn(t`Trials`, ({ point }) => trialsText(point)),
    figureColumn(t`Served per s`, ({ point }) => figureText(point.throughput, perS)),
    figureColumn(t`Errors`, ({ point }) => formatValue(point.errors_percent?.mean, '%')),
    ...PERCENTILES.map(([key, name]) =>
      figureColumn<Row>(name, ({ point }) => figureText(point[key], (value) => formatMicroseconds(value))),
    ),
  ];
}

const FIELDS = [
  ...TRIED,
  'followed',
  'cut_short',
  'generator_late',
] as const satisfies readonly (keyof CurveRate)[];

/** Every rate of every trial, a line each. */
export function ratesCsv({ trials }: Report): string {
  const lines = trials.flatMap(({ trial, summary }) =>
    (summary.curves ?? []).flatMap(({ rates }) =>
      rates.map((rate) => [trial.arm, trial.block, ...FIELDS.map((name) => rate[name])]),
    ),
  );
  return csv([['arm', 'block', ...FIELDS], ...lines]);
}

const kneeColumns = (report: Report): Column<Arm>[] => [
  { name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> },
  { name: t`Throughput follows up to, per s`, cell: ({ curve }) => <Knee curve={curve} /> },
];

function RateTable({ report, arms }: { report: Report; arms: readonly Arm[] }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t`All rates`}</summary>
      {isOpen && (
        <GroupedTable
          groups={arms}
          rowsOf={({ curve }) => curve.points.map((point) => ({ id: String(point.per_s), point }))}
          groupColumns={[{ name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> }]}
          columns={rateColumns()}
          minWidth={900}
        />
      )}
    </details>
  );
}

/** Trials that count, and in how many the load generator was late. */
function trialsText({ trials, late }: CurvePoint): string {
  return late > 0 ? t`${trials}, ${late} late` : String(trials);
}

/** Throughput and latency against the rate, arms in one chart. Renders nothing where no stream tries several rates. */
export function CurveSection({ report }: { report: Report }) {
  const arms = useMemo(() => armsOf(report), [report]);
  const curved = useMemo<Curved[]>(
    () =>
      arms.map(({ index, label, curve: { points, knee } }) => ({
        label,
        color: armColor(index),
        dash: armDash(index),
        points,
        knee: knee ? { at: knee.mean, low: knee.low, high: knee.high } : undefined,
      })),
    [arms],
  );
  if (arms.length === 0) return null;
  return (
    <Section
      id="curve"
      title={t`Curve`}
      note={t`What became of each rate in every trial: means over blocks, with a 95 % band at each rate by itself. The dotted line is where throughput would be if it followed; the upright lines are the knees. Latency is shown up to where throughput follows: beyond, it only says how long a rate lasted. Of trials in which the load generator was late, latency counts only if there are no others.`}
      actions={<SaveCsv label={t`Rates as CSV`} name="curve.csv" text={() => ratesCsv(report)} />}
    >
      <CurveView curved={curved} />
      <DataTable columns={kneeColumns(report)} rows={arms} minWidth={340} verticalSpacing={4} mt="md" />
      <RateTable report={report} arms={arms} />
    </Section>
  );
}
