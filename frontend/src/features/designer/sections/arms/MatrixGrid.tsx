import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Tooltip } from '@mantine/core';
import { IconCheck } from '@tabler/icons-react';
import { type KeyboardEvent, useRef, useState } from 'react';
import { armColor } from '@/components/charts/palette';
import { useAsked } from '@/components/ui/Term';
import { named, THE_ONLY_ARM } from '@/lib/language/serverText';
import type { DraftFactor } from '../../model/draft/draft';
import { type Cell, cellAfter } from '../../model/matrix';
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

const colorsOf = (cells: readonly Cell[]) =>
  new Map(cells.filter(({ state }) => state === 'on').map(({ key }, index) => [key, armColor(index)]));

/** The arms as a table: one factor is a list, two are a grid, more have grouped rows. */
export function MatrixGrid({ factors, cells, baseline, onToggle, onBaseline }: Props) {
  const columnFactor = factors.length > 1 ? factors.at(-1) : undefined;
  const rowFactors = columnFactor ? factors.slice(0, -1) : factors;
  const columns = columnFactor?.levels.length ?? 1;
  const { grid, active, setActive, onKeyDown } = useCellKeys({ cells, onBaseline }, columns);
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

interface HeadsProps {
  rowFactors: readonly DraftFactor[];
  columnFactor: DraftFactor | undefined;
}

/** The names of the row factors, then the levels of the column factor; without it there is one column. */
function ColumnHeads({ rowFactors, columnFactor }: HeadsProps) {
  return (
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
      {columnFactor?.levels.map((level) => (
        <th key={level.key} scope="col" className={classes.columnHead}>
          {level.label}
        </th>
      )) ?? (
        <th scope="col">
          <span className="visually-hidden">
            <Trans context="an arm">Runs</Trans>
          </span>
        </th>
      )}
    </tr>
  );
}

/** The levels that begin at a row. A level of an outer factor spans all rows of the inner ones. */
function RowHeads({ factors, row }: { factors: readonly DraftFactor[]; row: number }) {
  if (factors.length === 0)
    return (
      <th scope="row" className={classes.rowHead}>
        {named(THE_ONLY_ARM)}
      </th>
    );
  return factors.map(({ key, levels }, index) => {
    const span = factors.slice(index + 1).reduce((product, inner) => product * inner.levels.length, 1);
    return row % span === 0 ? (
      <th key={key} scope={span > 1 ? 'rowgroup' : 'row'} rowSpan={span} className={classes.rowHead}>
        {levels[Math.floor(row / span) % levels.length]?.label}
      </th>
    ) : null;
  });
}

interface MatrixCellProps {
  cell: Cell;
  index: number;
  /** The arm's colour; none where it does not run. */
  color: string | undefined;
  isActive: boolean;
  isBaseline: boolean;
  onFocus: () => void;
  onToggle: () => void;
  onBaseline: () => void;
}

const words = () => ({ on: t({ message: 'runs', context: 'an arm' }), off: t`off`, excluded: t`excluded` });

function whyExcluded({ state, reason }: Cell): string | null {
  if (state !== 'excluded') return null;
  return reason ? t`excluded: ${reason}` : t`excluded`;
}

function Switch({ cell, index, isActive, onFocus, onToggle }: MatrixCellProps) {
  const excluded = cell.state === 'excluded';
  const { label } = cell;
  const why = whyExcluded(cell);
  const { isOpen, asked } = useAsked();
  return (
    <Tooltip label={why} opened={isOpen && why !== null}>
      <button
        type="button"
        role="switch"
        aria-checked={cell.state === 'on'}
        aria-disabled={excluded}
        aria-label={why ? t`${label}, ${why}` : label}
        className={classes.cellSwitch}
        data-cell={index}
        tabIndex={isActive ? 0 : -1}
        {...asked}
        onFocus={() => {
          asked.onFocus();
          onFocus();
        }}
        onClick={({ currentTarget }) => {
          currentTarget.focus(); // not each browser gives it to a button that is tapped
          onToggle();
        }}
      >
        <span className={classes.cellMark} aria-hidden>
          {cell.state === 'on' && <IconCheck size={12} stroke={3} />}
        </span>
        {words()[cell.state]}
      </button>
    </Tooltip>
  );
}

function BaselineRadio({ cell, isBaseline, onBaseline }: MatrixCellProps) {
  const { label } = cell;
  return (
    <label className={classes.baseline} data-checked={isBaseline || undefined}>
      <input
        type="radio"
        name="baseline"
        checked={isBaseline}
        disabled={cell.state !== 'on' && !isBaseline}
        onChange={onBaseline}
        aria-label={t`Baseline: ${label}`}
      />
      <span aria-hidden>{t`baseline`}</span>
    </label>
  );
}

/** One combination: a switch, and a radio that makes it the baseline. */
export function MatrixCell(props: MatrixCellProps) {
  const { cell, color } = props;
  return (
    <td className={classes.cell} data-state={cell.state} style={{ '--arm': color } as React.CSSProperties}>
      <Switch {...props} />
      <BaselineRadio {...props} />
    </td>
  );
}

/** The grid is one stop for Tab; arrows move between its cells, and B makes the active one the baseline. */
function useCellKeys({ cells, onBaseline }: Pick<Props, 'cells' | 'onBaseline'>, columns: number) {
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
