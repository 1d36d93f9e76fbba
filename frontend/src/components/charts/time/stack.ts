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
