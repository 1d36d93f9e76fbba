import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import { ReferenceLine, XAxis } from 'recharts';
import { formatTick } from '@/lib/format';
import { AXIS_TEXT, IN_ORDER, powerTicks, valueTicks, X_AXIS } from '../axes';
import type { LineLook } from '../LineLegend';
import { bandArea, LinePlot, meansLine } from '../LinePlot';
import { valueAxis } from '../plotAxes';

/** What an arm serves at one goal; nothing where that was not measured. */
export interface SizingDot {
  value: number | null;
  low: number | null;
  high: number | null;
  /** With how it is known. */
  text: string;
}

export interface SizingLine extends LineLook {
  /** One for each goal. */
  dots: readonly SizingDot[];
}

export interface SizingCanvasProps {
  lines: readonly SizingLine[];
  /** Bounds on latency, ascending. */
  goals_ms: readonly number[];
  /** Which of them is looked at. */
  at_ms: number | undefined;
  height: number;
  /** What is drawn, for who reads it by keyboard. */
  name: string;
  /** What is bounded. */
  bounded: string;
}

interface Row {
  goal_ms: number;
  dots: readonly (SizingDot | undefined)[];
}

const MARGIN = { top: 12, right: 18, bottom: 16, left: 0 } as const;
const MS = 'ms';

const readAt = ({ goal_ms, dots }: Row, lines: readonly SizingLine[], bounded: string) => ({
  title: `${bounded} ≤ ${formatTick(goal_ms, MS)}`,
  entries: lines.map(({ label, color, dash }, place) => ({
    label,
    color,
    dash,
    value: dots[place]?.text ?? '',
  })),
});

function goalAxis(ticks: number[], bounded: string) {
  return (
    <XAxis
      dataKey="goal_ms"
      type="number"
      scale="log"
      domain={[ticks[0] ?? 1, ticks.at(-1) ?? 10]}
      ticks={ticks}
      minTickGap={12}
      tickFormatter={(goal: number) => formatTick(goal, MS)}
      label={{ value: t`Bound on ${bounded}`, position: 'insideBottom', offset: -10, ...AXIS_TEXT }}
      {...X_AXIS}
    />
  );
}

/** The highest rate that meets a goal, against the goal, arms in one chart, by Recharts. */
export function SizingCanvas({ lines, goals_ms, at_ms, height, name, bounded }: SizingCanvasProps) {
  const rows = useMemo<Row[]>(
    () => goals_ms.map((goal_ms, place) => ({ goal_ms, dots: lines.map(({ dots }) => dots[place]) })),
    [lines, goals_ms],
  );
  const known = lines.flatMap(({ dots }) => dots.flatMap(({ value, high }) => [value ?? 0, high ?? 0]));
  const [first = 1, last = 10] = [goals_ms[0], goals_ms.at(-1)];
  return (
    <LinePlot
      rows={rows}
      height={height}
      margin={MARGIN}
      isGrid
      readAt={(row) => readAt(row, lines, bounded)}
      keys={{ label: name, placeOf: ({ goal_ms }) => goal_ms }}
    >
      {goalAxis(powerTicks(first, Math.max(last, first * 1.01)), bounded)}
      {valueAxis('', valueTicks(Math.max(0, ...known), ''))}
      {lines.map((line, place) =>
        bandArea<Row>(line, ({ dots }) => {
          const { low = null, high = null } = dots[place] ?? {};
          return low === null || high === null ? null : [low, high];
        }),
      )}
      {at_ms !== undefined && <ReferenceLine x={at_ms} stroke="var(--active)" {...IN_ORDER} />}
      {lines.map((line, place) =>
        meansLine<Row>(line.label, {
          line,
          width: 2.25,
          at: ({ dots }) => {
            const value = dots[place]?.value ?? null;
            return value === null ? null : { mean: value, low: null, high: null };
          },
        }),
      )}
    </LinePlot>
  );
}
