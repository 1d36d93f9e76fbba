import { type ReactNode, useState } from 'react';
import {
  Area,
  CartesianGrid,
  ComposedChart,
  ErrorBar,
  Line,
  ReferenceLine,
  ResponsiveContainer,
  Tooltip,
} from 'recharts';
import { IN_ORDER } from './axes';
import { ChartReader } from './ChartReader';
import classes from './ChartReader.module.css';
import { type LineLook, LineSample } from './LineLegend';
import tooltip from './tooltip.module.css';

export interface Reading {
  title: string;
  entries: readonly (LineLook & { value: string })[];
}

function ValuesBox({ title, entries }: Reading) {
  return (
    <div className={tooltip.tooltip}>
      <div className={tooltip.tooltipTime}>{title}</div>
      {entries.map(({ label, color, dash, value }) => (
        <div key={label} className={tooltip.tooltipEntry}>
          <LineSample color={color} dash={dash} />
          <span className={tooltip.tooltipLabel}>{label}</span>
          <span className={tooltip.tooltipValue}>{value}</span>
        </div>
      ))}
    </div>
  );
}

/** A mean, with the ends of its whisker where there is one. */
interface Spread {
  mean: number;
  low: number | null;
  high: number | null;
}

interface Means<Row> {
  line: LineLook;
  width: number;
  at: (row: Row) => Spread | null;
}

/** Dots at means with their whiskers, joined by a line of some width. */
export function meansLine<Row>(key: string, { line, width, at }: Means<Row>) {
  const whisker = (row: Row) => {
    const { mean = 0, low = null, high = null } = at(row) ?? {};
    return low === null || high === null ? null : [mean - low, high - mean];
  };
  return (
    <Line
      key={key}
      name={line.label}
      dataKey={(row: Row) => at(row)?.mean ?? null}
      stroke={line.color}
      strokeDasharray={line.dash}
      strokeWidth={width}
      dot={{ r: 3, fill: line.color, strokeWidth: 0 }}
      connectNulls
      isAnimationActive={false}
    >
      <ErrorBar
        dataKey={whisker}
        direction="y"
        width={4}
        stroke={line.color}
        strokeWidth={1.25}
        isAnimationActive={false}
      />
    </Line>
  );
}

/** What lies between two values, in the colour of its line. */
export function bandArea<Row>(
  { label, color }: LineLook,
  at: (row: Row) => readonly [number, number] | null,
) {
  return (
    <Area
      key={`${label} band`}
      dataKey={at}
      stroke="none"
      fill={color}
      fillOpacity={0.16}
      activeDot={false}
      connectNulls
      isAnimationActive={false}
      {...IN_ORDER}
    />
  );
}

interface Props<Row> {
  rows: readonly Row[];
  height: number;
  margin: { top: number; right: number; bottom: number; left: number };
  readAt: (row: Row) => Reading;
  /** How arrow keys read it: its name, and the place of a row on the axis. */
  keys?: { label: string; placeOf: (row: Row) => number };
  /** Whether there is a line at the ticks of both axes, not of that of values alone. */
  isGrid?: boolean;
  children: ReactNode;
}

function wordsOf({ title, entries }: Reading): string {
  return `${title}: ${entries.map(({ label, value }) => `${label} ${value}`).join(', ')}`;
}

/** Lines that are not over the time of a trial: a grid, and the values where the pointer or the keyboard is. */
export function LinePlot<Row>({ rows, height, margin, readAt, keys, isGrid = false, children }: Props<Row>) {
  const [read, setRead] = useState<number | null>(null);
  const row = read === null ? undefined : rows[read];
  return (
    <div className={classes.readable}>
      <ResponsiveContainer width="100%" height={height} initialDimension={{ width: 480, height }}>
        <ComposedChart data={rows} margin={margin} accessibilityLayer={false}>
          <CartesianGrid stroke="var(--chart-grid)" vertical={isGrid} />
          <Tooltip
            isAnimationActive={false}
            filterNull={false}
            cursor={{ stroke: 'var(--chart-cursor)' }}
            content={({ active, payload }) => {
              const pointed = active ? (payload?.[0]?.payload as Row | undefined) : undefined;
              const reading = pointed && readAt(pointed);
              return reading?.entries.length ? <ValuesBox {...reading} /> : null;
            }}
          />
          {children}
          {keys && row && <ReferenceLine x={keys.placeOf(row)} stroke="var(--chart-cursor)" />}
        </ComposedChart>
      </ResponsiveContainer>
      {keys && (
        <ChartReader
          label={keys.label}
          count={rows.length}
          words={(index) => (rows[index] ? wordsOf(readAt(rows[index])) : '')}
          onRead={setRead}
        />
      )}
      {row && (
        <div className={classes.values} aria-hidden>
          <ValuesBox {...readAt(row)} />
        </div>
      )}
    </div>
  );
}
