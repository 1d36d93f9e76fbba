import { type KeyboardEvent, useRef, useState } from 'react';
import { armColor } from '@/components/charts/palette';
import type { DraftFactor } from '../../model/draft/draft';
import { type Cell, cellAfter, layoutOf } from '../../model/matrix';
import { MatrixCell } from './MatrixCell';
import classes from './matrix.module.css';

interface Props {
  factors: readonly DraftFactor[];
  cells: readonly Cell[];
  baseline: string;
  onToggle: (cell: Cell) => void;
  onBaseline: (cell: Cell) => void;
}

/** Cut into rows of `columns`. */
function rowsOf(cells: readonly Cell[], columns: number): Cell[][] {
  return Array.from({ length: Math.ceil(cells.length / columns) }, (_, row) =>
    cells.slice(row * columns, (row + 1) * columns),
  );
}

/** How many rows a level of each row factor spans. */
function spansOf(factors: readonly DraftFactor[]): number[] {
  return factors.map((_, index) =>
    factors.slice(index + 1).reduce((product, factor) => product * factor.levels.length, 1),
  );
}

/**
 * The arms as a table: one factor is a list, two are a grid, more have grouped rows. One tab stop; arrows move within.
 */
export function MatrixGrid({ factors, cells, baseline, onToggle, onBaseline }: Props) {
  const grid = useRef<HTMLTableElement>(null);
  const [at, setAt] = useState(0);
  const { rowFactors, columnFactor, columns } = layoutOf(factors);
  const spans = spansOf(rowFactors);
  const active = Math.min(at, cells.length - 1);
  const colors = new Map(
    cells.filter((cell) => cell.state === 'on').map((cell, index) => [cell.key, armColor(index)]),
  );

  function move(target: number) {
    setAt(target);
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

  return (
    <div className={classes.matrixScroll}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA pattern of a grid of switches */}
      <table ref={grid} role="grid" aria-label="Arms" className={classes.matrix} onKeyDown={onKeyDown}>
        <thead>
          <tr>
            {rowFactors.map((factor) => (
              <th key={factor.key} scope="col">
                {factor.label}
                {columnFactor && factor === rowFactors.at(-1) && (
                  <span className={classes.corner}>{columnFactor.label} →</span>
                )}
              </th>
            ))}
            {rowFactors.length === 0 && <td />}
            {columnFactor ? (
              columnFactor.levels.map((level) => (
                <th key={level.key} scope="col" className={classes.columnHead}>
                  {level.label}
                </th>
              ))
            ) : (
              <th scope="col">
                <span className="visually-hidden">Runs</span>
              </th>
            )}
          </tr>
        </thead>
        <tbody>
          {rowsOf(cells, columns).map((row, rowIndex) => (
            <tr key={row[0]?.key}>
              {rowFactors.length === 0 && (
                <th scope="row" className={classes.rowHead}>
                  the only arm
                </th>
              )}
              {rowFactors.map((factor, index) => {
                const span = spans[index] ?? 1;
                const level = factor.levels[Math.floor(rowIndex / span) % factor.levels.length];
                return rowIndex % span === 0 ? (
                  <th
                    key={factor.key}
                    scope={span > 1 ? 'rowgroup' : 'row'}
                    rowSpan={span}
                    className={classes.rowHead}
                  >
                    {level?.label}
                  </th>
                ) : null;
              })}
              {row.map((cell, column) => {
                const index = rowIndex * columns + column;
                return (
                  <MatrixCell
                    key={cell.key}
                    cell={cell}
                    index={index}
                    color={colors.get(cell.key)}
                    isActive={index === active}
                    isBaseline={cell.key === baseline}
                    onFocus={() => setAt(index)}
                    onToggle={() => onToggle(cell)}
                    onBaseline={() => onBaseline(cell)}
                  />
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
