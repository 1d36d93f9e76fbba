import { type KeyboardEvent, useState } from 'react';
import type { Heat } from './heat';
import type { Cell } from './heatWords';

const MOVES: Record<string, readonly [rows: number, columns: number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
  Home: [0, Number.NEGATIVE_INFINITY],
  End: [0, Number.POSITIVE_INFINITY],
};

const within = (place: number, count: number) => Math.min(count - 1, Math.max(0, place));

/** The cell that is read out: where the pointer is, or where arrow keys lead. */
export function useCell({ rows, times }: Heat) {
  const [cell, setCell] = useState<Cell | null>(null);
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') setCell(null);
    const move = MOVES[event.key];
    if (!move) return;
    event.preventDefault();
    setCell((at) =>
      at
        ? { row: within(at.row + move[0], rows.length), column: within(at.column + move[1], times.length) }
        : { row: 0, column: 0 },
    );
  };
  const isThere = cell !== null && cell.row < rows.length && cell.column < times.length;
  return { cell: isThere ? cell : null, setCell, onKeyDown };
}
