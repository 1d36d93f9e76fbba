import { type Reading, ValuesBox } from '../ValuesBox';
import { ChartReader } from './ChartReader';
import classes from './reader.module.css';

interface Props<Row> {
  /** The chart's name. */
  label: string;
  rows: readonly Row[];
  readAt: (row: Row) => Reading;
  /** The row that is read now. */
  row: Row | undefined;
  onRead: (index: number | null) => void;
}

function wordsOf({ title, entries }: Reading): string {
  return `${title}: ${entries.map(({ label, value }) => `${label} ${value}`).join(', ')}`;
}

/** The rows of a chart by keys, with the values where the reader is. */
export function ReadValues<Row>({ label, rows, readAt, row, onRead }: Props<Row>) {
  return (
    <>
      <ChartReader
        label={label}
        count={rows.length}
        words={(index) => (rows[index] === undefined ? '' : wordsOf(readAt(rows[index])))}
        onRead={onRead}
      />
      {row !== undefined && (
        <div className={classes.values} aria-hidden>
          <ValuesBox {...readAt(row)} />
        </div>
      )}
    </>
  );
}
