import { t } from '@lingui/core/macro';
import { type ReactNode, useMemo, useState } from 'react';
import type { ArmCurve, CurveFigure, CurvePoint, CurveRate, Report, Scalability } from '@/api/generated';
import { type Curved, CurveView, isOfConnections } from '@/components/capacity/CurveView';
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

/** Requests a second with so many connections, by the scalability law with the means of its coefficients. */
export function lawOf({
  per_connection,
  contention,
  coherency,
}: Scalability): (connections: number) => number {
  return (n) => (n * per_connection.mean) / (1 + contention.mean * (n - 1) + coherency.mean * n * (n - 1));
}

/** The scalability law's coefficients, or its peak. */
function LawCell({ curve, read }: { curve: ArmCurve; read: (law: Scalability) => ReactNode }) {
  const { scalability: law, without_scalability: without } = curve;
  if (law) return read(law);
  return without ? <ServerText text={without} /> : '–';
}

const lawColumns = (): Column<Arm>[] => [
  {
    name: t`Peak, connections`,
    cell: ({ curve }) => (
      <LawCell
        curve={curve}
        read={({ peak, without_peak }) =>
          peak ? figureText(peak, perS) : without_peak ? <ServerText text={without_peak} /> : '–'
        }
      />
    ),
  },
  figureColumn(t`Contention`, ({ curve }) => figureText(curve.scalability?.contention, formatNumber)),
  figureColumn(t`Coherency`, ({ curve }) => figureText(curve.scalability?.coherency, formatNumber)),
];

interface Row {
  id: string;
  point: CurvePoint;
}

function rateColumns(isClosed: boolean): Column<Row>[] {
  return [
    isClosed
      ? figureColumn(t`Connections`, ({ point }) => formatNumber(point.connections ?? 0))
      : figureColumn(t`Due per s`, ({ point }) => perS(point.per_s)),
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
  'connections',
  'followed',
  'cut_short',
  'generator_late',
] as const satisfies readonly (keyof CurveRate)[];

/** Every rate of every trial, a line each. */
export function ratesCsv({ trials }: Report): string {
  const lines = trials.flatMap(({ trial, summary }) =>
    (summary.curves ?? []).flatMap(({ rates }) =>
      rates.map((rate) => [trial.arm, trial.block, ...FIELDS.map((name) => rate[name] ?? null)]),
    ),
  );
  return csv([['arm', 'block', ...FIELDS], ...lines]);
}

const kneeColumns = (report: Report, isClosed: boolean): Column<Arm>[] => [
  { name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> },
  {
    name: isClosed ? t`Knee, connections` : t`Throughput follows up to, per s`,
    cell: ({ curve }) => <Knee curve={curve} />,
  },
  ...(isClosed ? lawColumns() : []),
];

interface Tables {
  report: Report;
  arms: readonly Arm[];
  isClosed: boolean;
}

function RateTable({ report, arms, isClosed }: Tables) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{t`All rates`}</summary>
      {isOpen && (
        <GroupedTable
          groups={arms}
          rowsOf={({ curve }) =>
            curve.points.map((point) => ({ id: String(point.connections ?? point.per_s), point }))
          }
          groupColumns={[{ name: t`Arm`, cell: ({ id }) => <ReportArm arms={report.arms} arm={id} /> }]}
          columns={rateColumns(isClosed)}
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
      arms.map(({ index, label, curve: { points, knee, scalability } }) => ({
        label,
        color: armColor(index),
        dash: armDash(index),
        points,
        knee: knee ? { at: knee.mean, low: knee.low, high: knee.high } : undefined,
        law: scalability ? lawOf(scalability) : undefined,
      })),
    [arms],
  );
  if (arms.length === 0) return null;
  const isClosed = isOfConnections(arms.flatMap(({ curve }) => curve.points));
  return (
    <Section
      id="curve"
      title={t`Curve`}
      note={
        isClosed
          ? t`Throughput and latency with each number of connections, which wait for their answers: means over blocks, with a 95 % band at each number by itself. The knee is how many connections would make the plateau, were all as fast as the fewest. The scalability law, a thin dotted line, says how much of the work one connection does at a time (contention), what each pair of them costs (coherency), and from how many on throughput falls.`
          : t`What became of each rate in every trial: means over blocks, with a 95 % band at each rate by itself. The dotted line is where throughput would be if it followed; the upright lines are the knees. Latency is shown up to where throughput follows: beyond, it only says how long a rate lasted. Of trials in which the load generator was late, latency counts only if there are no others.`
      }
      actions={<SaveCsv label={t`Rates as CSV`} name="curve.csv" text={() => ratesCsv(report)} />}
    >
      <CurveView curved={curved} />
      <DataTable
        columns={kneeColumns(report, isClosed)}
        rows={arms}
        minWidth={340}
        verticalSpacing={4}
        mt="md"
      />
      <RateTable report={report} arms={arms} isClosed={isClosed} />
    </Section>
  );
}
