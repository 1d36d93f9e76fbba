import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { Report, Shift } from '@/api/generated';
import { ShiftChart } from '@/components/charts/lineCharts';
import { armColor, armDash } from '@/components/charts/palette';
import { nameOf } from '@/components/charts/shift/shift';
import { ServerText } from '@/components/ui/language/ServerText';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { armLabel } from '@/domain/trials';
import { formatMicroseconds } from '@/lib/format';
import { named, said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import { EmbedButton } from '../embed/EmbedButton';
import { SHIFT } from '../embed/snippet';
import { figureColumn } from '../tables';
import { basesOfTotals, LatencyBasis } from '../verdict/Badges';

type Arms = Report['analysis']['arms'];

interface Shifted {
  key: string;
  label: string;
  index: number;
  shift: Shift;
}

function shiftedOf(arms: Arms): Shifted[] {
  return arms.flatMap(({ key, label, shift }, index) =>
    shift?.points.length ? [{ key, label: named(label), index, shift }] : [],
  );
}

const printed = ({ text, band_text }: Shift['points'][number]) =>
  band_text ? `${text} (${said(band_text)})` : text;

/** The chart by itself. */
export function LatencyShift({ arms }: { arms: Arms }) {
  const lines = useMemo(
    () =>
      shiftedOf(arms).map(({ label, index, shift }) => ({
        label,
        color: armColor(index),
        dash: armDash(index),
        points: shift.points.map((point) => ({ ...point, text: printed(point) })),
      })),
    [arms],
  );
  return <ShiftChart lines={lines} />;
}

interface Row {
  id: number;
  /** By arm. */
  points: (Shift['points'][number] | undefined)[];
}

function rowsOf(shifted: readonly Shifted[]): Row[] {
  const fractions = shifted.flatMap(({ shift }) => shift.points.map(({ fraction }) => fraction));
  return [...new Set(fractions)]
    .sort((a, b) => a - b)
    .map((id) => ({
      id,
      points: shifted.map(({ shift }) => shift.points.find(({ fraction }) => fraction === id)),
    }));
}

function columnsOf(shifted: readonly Shifted[], baseline: string): Column<Row>[] {
  return [
    { name: t`Percentile`, cell: ({ id }) => nameOf(id) },
    figureColumn(baseline, ({ points }) =>
      formatMicroseconds(points.find((point) => point !== undefined)?.baseline_us),
    ),
    ...shifted.map(({ key, label }, place) => ({
      ...figureColumn<Row>(label, ({ points }) => {
        const point = points[place];
        return point ? printed(point) : '–';
      }),
      id: key,
    })),
  ];
}

/** Whether all responses of an arm are slower than the baseline's, or the slowest alone, and by how much. */
export function ShiftSection({ report }: { report: Report }) {
  const { arms, baseline } = report.analysis;
  const shifted = shiftedOf(arms);
  const first = shifted[0];
  if (!first) return null;
  const base = armLabel(report.arms, baseline);
  const band = said(first.shift.band);
  const missing = shifted.flatMap(({ key, label, shift }) =>
    shift.missing ? [{ key, label, text: shift.missing }] : [],
  );
  return (
    <Section
      id={SHIFT}
      title={t`Change of latency by percentile`}
      actions={
        <>
          <LatencyBasis bases={basesOfTotals(report)} />
          <EmbedButton title={t`Change of latency by percentile`} place={{ key: SHIFT }} />
        </>
      }
      note={t`Each arm against ${base}: the ratio of their percentiles, paired by block. The shaded ${band} holds the truth at all percentiles of an arm together. A line along 0 % means no difference; one that leaves it at the right means that only the slowest responses differ.`}
    >
      <LatencyShift arms={arms} />
      {missing.map(({ key, label, text }) => (
        <p key={key} style={{ margin: '8px 0 0', fontSize: 12, color: 'var(--text-dim)' }}>
          {label}: <ServerText text={text} />
        </p>
      ))}
      <DataTable
        columns={columnsOf(shifted, base)}
        rows={rowsOf(shifted)}
        minWidth={220 + 190 * shifted.length}
        verticalSpacing={4}
        mt="sm"
      />
    </Section>
  );
}
