import { t } from '@lingui/core/macro';
import { armColor } from '@/components/charts/palette';
import type { DraftFactor } from '../../model/draft/draft';
import { type Cell, layoutOf } from '../../model/matrix';
import { MatrixCell } from './MatrixCell';
import { ColumnHeads, RowHeads } from './MatrixHeads';
import classes from './matrix.module.css';
import { useCellKeys } from './useCellKeys';

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

const colorsOf = (cells: readonly Cell[]) =>
  new Map(cells.filter(({ state }) => state === 'on').map(({ key }, index) => [key, armColor(index)]));

/** The arms as a table: one factor is a list, two are a grid, more have grouped rows. */
export function MatrixGrid({ factors, cells, baseline, onToggle, onBaseline }: Props) {
  const { rowFactors, columnFactor, columns } = layoutOf(factors);
  const { grid, active, setActive, onKeyDown } = useCellKeys({ cells, columns, onBaseline });
  const colors = colorsOf(cells);
  const cellAt = (cell: Cell, index: number) => (
    <MatrixCell
      key={cell.key}
      cell={cell}
      index={index}
      color={colors.get(cell.key)}
      isActive={index === active}
      isBaseline={cell.key === baseline}
      onFocus={() => setActive(index)}
      onToggle={() => onToggle(cell)}
      onBaseline={() => onBaseline(cell)}
    />
  );
  return (
    <div className={classes.matrixScroll}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the ARIA pattern of a grid of switches */}
      <table ref={grid} role="grid" aria-label={t`Arms`} className={classes.matrix} onKeyDown={onKeyDown}>
        <thead>
          <ColumnHeads rowFactors={rowFactors} columnFactor={columnFactor} />
        </thead>
        <tbody>
          {rowsOf(cells, columns).map((cellsOfRow, row) => (
            <tr key={cellsOfRow[0]?.key}>
              <RowHeads factors={rowFactors} row={row} />
              {cellsOfRow.map((cell, column) => cellAt(cell, row * columns + column))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
