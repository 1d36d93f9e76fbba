import type { Point } from '@/domain/series';

/** The name and the drawing of a line, without its readings. */
export interface Look {
  id: string;
  label: string;
  color: string;
  /** Context, not subject: an earlier trial behind the one that runs. */
  faint?: boolean;
  /** Another line that the legend names stands for it, too. */
  unnamed?: boolean;
  dash?: string;
}

export interface Line extends Look {
  points: Point[];
}

/** One instant of a chart: `t` in seconds and one value a line, `null` where that line has none. */
export interface Row {
  t: number;
  values: (number | null)[];
}

export const MAX_ROWS = 800;
/** Two neighbours further apart than this many usual distances have a gap between them. */
const GAP_FACTOR = 2.5;

function median(values: number[]): number {
  const sorted = values.sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 1;
}

function spacing(points: readonly Point[]): number {
  if (points.length < 2) return 1;
  return median(points.slice(1).map((point, index) => point[0] - (points[index] as Point)[0])) || 1;
}

/** The value a line has at instant `t`; `from` is the last point not after it, or -1. */
function valueAt(
  points: readonly Point[],
  from: number,
  t: number,
  step: number,
  gap: number,
): number | null {
  const [before, after] = [points[from], points[from + 1]];
  const nearest = !before || (after && after[0] - t < t - before[0]) ? after : before;
  if (nearest && Math.abs(nearest[0] - t) <= step / 2 + 1e-6) return nearest[1];
  if (!before || !after || before[1] === null || after[1] === null || after[0] - before[0] > gap) return null;
  return before[1] + ((after[1] - before[1]) * (t - before[0])) / (after[0] - before[0]);
}

/**
 * Lines of different trials share no instants, but a crosshair needs common ones: put them on one grid. A grid point
 * takes the nearest reading; between two readings of a thinned line it is interpolated; a gap stays a gap.
 */
export function alignLines(lines: readonly Line[]): Row[] {
  const filled = lines.filter((line) => line.points.length > 0);
  if (filled.length === 0) return [];
  const start = Math.min(...filled.map((line) => (line.points[0] as Point)[0]));
  const end = Math.max(...filled.map((line) => (line.points.at(-1) as Point)[0]));
  const usual = lines.map((line) => spacing(line.points));
  const step = Math.max(Math.round(Math.min(...usual) * 100) / 100 || 0.1, (end - start) / MAX_ROWS);
  const first = Math.round(start / step);
  const last = Math.round(end / step);
  const cursors = lines.map(() => -1);
  const rows: Row[] = [];
  for (let tick = first; tick <= last; tick += 1) {
    const t = Number((tick * step).toFixed(3));
    const values = lines.map(({ points }, index) => {
      let at = cursors[index] as number;
      while (at + 1 < points.length && (points[at + 1] as Point)[0] <= t) at += 1;
      cursors[index] = at;
      return valueAt(points, at, t, step, (usual[index] as number) * GAP_FACTOR);
    });
    rows.push({ t, values });
  }
  return rows;
}

/** The rows of a range of time, with those next to it, from which curves come in. */
export function rowsWithin(rows: Row[], [start, end]: readonly [number, number]): Row[] {
  const before = rows.findLastIndex(({ t }) => t < start);
  const after = rows.findIndex(({ t }) => t > end);
  if (before <= 0 && after === -1) return rows;
  return rows.slice(Math.max(0, before), after === -1 ? rows.length : after + 1);
}

/** Seconds from one row to the next; of fewer than two rows, one. */
export function stepOf([first, second]: readonly Row[]): number {
  return first && second ? Number((second.t - first.t).toFixed(3)) : 1;
}

/** The row next to an instant; none where no row is near. */
export function rowAt(rows: readonly Row[], t: number): Row | undefined {
  const [first] = rows;
  return first && rows[Math.round((t - first.t) / stepOf(rows))];
}

export function highestIn(rows: readonly Row[], stacked: boolean): number {
  let highest = 0;
  for (const { values } of rows) {
    let sum = 0;
    for (const value of values) {
      sum = stacked ? sum + (value ?? 0) : (value ?? 0);
      if (sum > highest) highest = sum;
    }
  }
  return highest;
}

/** The highest reading of a range of time and next to it, or zero. */
export function highestReading(lines: readonly Line[], [start, end]: readonly [number, number]): number {
  const drawn = lines.flatMap(({ points }) =>
    points.filter((_, index) => {
      const [before, after] = [points[index - 1], points[index + 1]];
      return (!before || before[0] <= end) && (!after || after[0] >= start);
    }),
  );
  return drawn.reduce((most, [, value]) => Math.max(most, value ?? 0), 0);
}
