import { type KeyboardEvent, useRef, useState } from 'react';
import { type Cell, cellAfter } from '../../model/matrix';

interface Options {
  cells: readonly Cell[];
  columns: number;
  onBaseline: (cell: Cell) => void;
}

/** The grid is one stop for Tab; arrows move between its cells, and B makes the active one the baseline. */
export function useCellKeys({ cells, columns, onBaseline }: Options) {
  const grid = useRef<HTMLTableElement>(null);
  const [at, setActive] = useState(0);
  const active = Math.min(at, cells.length - 1);

  function move(target: number) {
    setActive(target);
    grid.current?.querySelector<HTMLElement>(`[data-cell="${target}"]`)?.focus();
  }

  function onKeyDown(event: KeyboardEvent) {
    const cell = cells[active];
    if (event.ctrlKey || event.metaKey || event.altKey || !cell) return;
    if (!(event.target as HTMLElement).dataset.cell) return; // radios have keys of their own
    const target = cellAfter(event.key, active, columns, cells.length);
    if (target !== null) move(target);
    else if (event.key.toLowerCase() === 'b' && cell.state === 'on') onBaseline(cell);
    else return;
    event.preventDefault();
  }

  return { grid, active, setActive, onKeyDown };
}
