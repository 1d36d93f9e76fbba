/** Lines over a number that was varied: what {@link LevelLinesCanvas} draws. Pure. */
export interface LevelPoint {
  x: number;
  y: number;
  values: readonly number[];
}

export interface LevelLine {
  label: string;
  color: string;
  dash?: string;
  points: readonly LevelPoint[];
  regression: { slope: number; intercept: number } | null;
}

export interface AxisMark {
  axis: 'x' | 'y';
  at: number;
  label: string;
  simulated: boolean;
}

export interface LevelRow {
  x: number;
  /** By line: the mean, the fitted value at the ends, and the lowest and highest trial. */
  means: (number | null)[];
  fits: (number | null)[];
  ranges: ([number, number] | null)[];
}

/** One row for each x of any line, with the fitted values at its line's first and last x. */
export function levelRows(lines: readonly LevelLine[]): LevelRow[] {
  const xs = [...new Set(lines.flatMap(({ points }) => points.map(({ x }) => x)))].sort((a, b) => a - b);
  const at = (line: LevelLine, x: number) => line.points.find((point) => point.x === x);
  return xs.map((x) => ({
    x,
    means: lines.map((line) => at(line, x)?.y ?? null),
    ranges: lines.map((line) => {
      const values = at(line, x)?.values ?? [];
      return values.length > 1 ? [Math.min(...values), Math.max(...values)] : null;
    }),
    fits: lines.map(({ regression, points }) => {
      const isEnd = x === points[0]?.x || x === points.at(-1)?.x;
      return regression && isEnd ? regression.intercept + regression.slope * x : null;
    }),
  }));
}

/** The ends of what was measured: levels across, and the highest of means, single trials and fits, from zero up. */
function measured(rows: readonly LevelRow[]): Record<AxisMark['axis'], [number, number]> {
  const xs = rows.map(({ x }) => x);
  const ys = rows.flatMap(({ means, fits, ranges }) => [...means, ...fits, ...ranges.flat()]);
  return {
    x: xs.length > 0 ? [Math.min(...xs), Math.max(...xs)] : [0, 0],
    y: [0, Math.max(0, ...ys.map((value) => value ?? 0))],
  };
}

const spanOf = ([low, high]: readonly [number, number]) => high - low || Math.abs(high) || 1;

/** A mark beyond the end of an axis, and on which side. */
export interface EdgeMark extends AxisMark {
  side: 'low' | 'high';
}

export interface PlacedAxisMarks {
  within: AxisMark[];
  /** So far outside that the axis would give them more room than what was measured: arrows at the chart's edge. */
  beyond: EdgeMark[];
}

/** Which marks an axis has room for. Where nothing was measured, it has room for all. */
export function placeAxisMarks(rows: readonly LevelRow[], marks: readonly AxisMark[]): PlacedAxisMarks {
  const ends = measured(rows);
  const placed: PlacedAxisMarks = { within: [], beyond: [] };
  for (const mark of marks) {
    const [low, high] = ends[mark.axis];
    const outside = Math.max(low - mark.at, mark.at - high);
    if (rows.length === 0 || outside <= spanOf([low, high])) placed.within.push(mark);
    else placed.beyond.push({ ...mark, side: mark.at < low ? 'low' : 'high' });
  }
  return placed;
}

/** The axis' ends: from the least to the greatest value and mark, a little wider. */
export function xDomain(rows: readonly LevelRow[], marks: readonly AxisMark[]): [number, number] {
  const xs = [...rows.map(({ x }) => x), ...marks.filter(({ axis }) => axis === 'x').map((mark) => mark.at)];
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const pad = spanOf([low, high]) * 0.04;
  return [low >= 0 ? Math.max(0, low - pad) : low - pad, high + pad];
}

/** The greatest of all that is drawn: means, single trials, fits and marks. */
export function highestOf(rows: readonly LevelRow[], marks: readonly AxisMark[]): number {
  const marked = marks.filter(({ axis }) => axis === 'y').map(({ at }) => at);
  return Math.max(measured(rows).y[1], ...marked);
}

const MAX_TICKS = 8;

/** The values themselves where they are few; else the axis chooses. */
export function xTicks(rows: readonly LevelRow[]): number[] | undefined {
  return rows.length <= MAX_TICKS ? rows.map(({ x }) => x) : undefined;
}
