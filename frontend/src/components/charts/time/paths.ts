import type { Row } from './align';

/**
 * The edges of a stack, row by row, from zero up: one more than there are parts. A part without a reading has no
 * height; a row without any reading is a gap.
 */
export function stackOf(rows: readonly Row[]): (number | null)[][] {
  return rows.map(({ values }) => {
    if (values.every((value) => value === null)) return Array(values.length + 1).fill(null);
    const edges = [0];
    for (const value of values) edges.push((edges.at(-1) ?? 0) + (value ?? 0));
    return edges;
  });
}

/** A place on the page, in pixels; without `y`, nothing is known there. */
export interface Place {
  x: number;
  y: number | null;
}

/** From place to place, a gap staying a gap. A place between two gaps is as long as a line is thick, to be seen. */
export function linePath(places: readonly Place[]): string {
  let path = '';
  let isOpen = false;
  for (const [index, { x, y }] of places.entries()) {
    if (y === null) {
      isOpen = false;
      continue;
    }
    const isAlone = !isOpen && (places[index + 1]?.y ?? null) === null;
    path += isAlone ? `M${x - 1} ${y}h2` : `${isOpen ? 'L' : 'M'}${x} ${y}`;
    isOpen = true;
  }
  return path;
}

/** What lies between two edges, which have their gaps at the same places. */
export function areaPath(upper: readonly Place[], lower: readonly Place[]): string {
  let path = '';
  let start = 0;
  for (let index = 0; index <= upper.length; index += 1) {
    if ((upper[index]?.y ?? null) !== null) continue;
    if (index > start) {
      const around = [...upper.slice(start, index), ...lower.slice(start, index).reverse()];
      path += `${linePath(around)}Z`;
    }
    start = index + 1;
  }
  return path;
}
