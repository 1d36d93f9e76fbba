/** Series of one trial as the API gives them, and how live points join them. Pure. */

export type Point = [t_s: number, value: number | null];

export interface Series {
  key: string;
  label: string;
  unit: string;
  points: Point[];
}

export interface LivePoint {
  key: string;
  label: string;
  unit: string;
  t_s: number;
  value: number | null;
}

/** More points than pixels say nothing; beyond this the older half is thinned. */
const MAX_POINTS = 2400;

/** Two readings of one instant, sent live and read from the database, agree to the millisecond. */
const sameInstant = (a: number, b: number) => Math.abs(a - b) < 0.0005;

function thin(points: Point[]): Point[] {
  const half = points.length >> 1;
  return points.filter((_, index) => index >= half || index % 2 === 0);
}

/** `points` with one more, in time order; a repeated instant replaces what was known of it. */
export function insertPoint(points: Point[], point: Point): void {
  let at = points.length;
  while (at > 0 && (points[at - 1] as Point)[0] > point[0]) at -= 1;
  const [before, after] = [points[at - 1], points[at]];
  if (before && sameInstant(before[0], point[0])) points[at - 1] = point;
  else if (after && sameInstant(after[0], point[0])) points[at] = point;
  else points.splice(at, 0, point);
}

const idOf = (line: { key: string; label: string }) => `${line.key}\u0000${line.label}`;

/** New series with `incoming` merged in. Untouched series keep their identity, so their charts need not redraw. */
export function mergePoints(series: readonly Series[], incoming: readonly LivePoint[]): Series[] {
  const merged = [...series];
  const places = new Map(series.map((line, index) => [idOf(line), index]));
  const touched = new Set<number>();
  for (const { t_s, value, ...line } of incoming) {
    const id = idOf(line);
    let place = places.get(id);
    if (place === undefined) {
      place = merged.push({ ...line, points: [] }) - 1;
      places.set(id, place);
    } else if (!touched.has(place)) {
      const known = merged[place] as Series;
      merged[place] = { ...known, points: [...known.points] };
    }
    touched.add(place);
    insertPoint((merged[place] as Series).points, [t_s, value]);
  }
  for (const place of touched) {
    const line = merged[place] as Series;
    if (line.points.length > MAX_POINTS) merged[place] = { ...line, points: thin(line.points) };
  }
  return merged;
}

/** `fetched`, which is what the database knows, with the live points that are later than it. */
export function mergeSeries(fetched: readonly Series[], live: readonly Series[]): Series[] {
  const known = new Map(
    fetched.map((line) => [idOf(line), line.points.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY]),
  );
  const newer = live.flatMap(({ key, label, unit, points }) => {
    const end = known.get(idOf({ key, label })) ?? Number.NEGATIVE_INFINITY;
    return points.filter(([t]) => t > end).map(([t_s, value]) => ({ key, label, unit, t_s, value }));
  });
  return mergePoints(fetched, newer);
}

/** Seconds on the axis. */
export type Part = readonly [from: number, to: number];

/** `series` with what is known of a part in more detail in its place. Lines that the part does not have stay. */
export function withDetail(series: readonly Series[], detail: readonly Series[], [from, to]: Part): Series[] {
  const known = new Map(detail.map((line) => [idOf(line), line.points]));
  return series.map((line) => {
    const inside = known.get(idOf(line));
    if (!inside?.length) return line;
    const before = line.points.filter(([t]) => t < from);
    return { ...line, points: [...before, ...inside, ...line.points.filter(([t]) => t > to)] };
  });
}
