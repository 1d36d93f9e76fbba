import { t } from '@lingui/core/macro';
import { useState } from 'react';
import classes from './reader.module.css';

interface Props {
  /** The chart's name. */
  label: string;
  /** How many places of the chart can be read. */
  count: number;
  /** What is drawn at a place, in words. */
  words: (index: number) => string;
  /** The place that is read now; `null` while the keyboard is elsewhere. */
  onRead: (index: number | null) => void;
  /** What Enter does with the place that is read. */
  onChoose?: (index: number) => void;
  /** Where a place has several rows: the keys that lead to the one below (1) or above (-1). */
  onRow?: (by: 1 | -1) => void;
}

const ROWS: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };

/** Reads a chart by keys: arrows move along it, and screen readers say what is there. It lies over the plot, unseen. */
export function ChartReader({ label, count, words, onRead, onChoose, onRow }: Props) {
  const [at, setAt] = useState(0);
  const place = Math.min(at, count - 1);
  if (count === 0) return null;
  return (
    <input
      type="range"
      className={`${classes.reader} no-print`}
      aria-label={t`${label}: values, by arrow keys`}
      aria-valuetext={words(place)}
      aria-keyshortcuts={onChoose && 'Enter'}
      min={0}
      max={count - 1}
      value={place}
      onFocus={() => onRead(place)}
      onBlur={() => onRead(null)}
      onKeyDown={(event) => {
        if (event.key === 'Enter') onChoose?.(place);
        const by = ROWS[event.key];
        if (!by || !onRow) return;
        event.preventDefault();
        onRow(by);
      }}
      onChange={({ currentTarget: { valueAsNumber } }) => {
        setAt(valueAsNumber);
        onRead(valueAsNumber);
      }}
    />
  );
}
