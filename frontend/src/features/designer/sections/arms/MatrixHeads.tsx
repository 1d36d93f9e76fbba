import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import type { DraftFactor } from '../../model/draft/draft';
import classes from './matrix.module.css';

interface ColumnHeadsProps {
  rowFactors: readonly DraftFactor[];
  /** Its levels are the columns; without it there is one. */
  columnFactor: DraftFactor | null;
}

/** The names of the row factors, then the levels of the column factor. */
export function ColumnHeads({ rowFactors, columnFactor }: ColumnHeadsProps) {
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
      {columnFactor ? (
        columnFactor.levels.map((level) => (
          <th key={level.key} scope="col" className={classes.columnHead}>
            {level.label}
          </th>
        ))
      ) : (
        <th scope="col">
          <span className="visually-hidden">
            <Trans context="an arm">Runs</Trans>
          </span>
        </th>
      )}
    </tr>
  );
}

/** How many rows a level of each row factor spans. */
function spansOf(factors: readonly DraftFactor[]): number[] {
  return factors.map((_, index) =>
    factors.slice(index + 1).reduce((product, factor) => product * factor.levels.length, 1),
  );
}

/** The levels that begin at a row. A level of an outer factor spans all rows of the inner ones. */
export function RowHeads({ factors, row }: { factors: readonly DraftFactor[]; row: number }) {
  if (factors.length === 0)
    return (
      <th scope="row" className={classes.rowHead}>
        {t`the only arm`}
      </th>
    );
  const spans = spansOf(factors);
  return factors.map((factor, index) => {
    const span = spans[index] ?? 1;
    const level = factor.levels[Math.floor(row / span) % factor.levels.length];
    return row % span === 0 ? (
      <th key={factor.key} scope={span > 1 ? 'rowgroup' : 'row'} rowSpan={span} className={classes.rowHead}>
        {level?.label}
      </th>
    ) : null;
  });
}
