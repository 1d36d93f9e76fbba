import { t } from '@lingui/core/macro';
import { type ChangeEvent, type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import classes from './ChartReader.module.css';

interface Props {
  label: string;
  count: number;
  words: (index: number) => string;
  /** The place that is read now; `null` while the keyboard is elsewhere. */
  onRead: (index: number | null) => void;
  onChoose?: (index: number) => void;
  /** Where a place has several rows: the keys that lead to the one below (1) or above (-1). */
  onRow?: (by: 1 | -1) => void;
}

const ROWS: Record<string, 1 | -1> = { ArrowDown: 1, ArrowUp: -1 };

/** The last place. That readings go further is told once the keyboard is there, unless there are fewer now. */
function useLast(count: number, isRead: boolean): number {
  const [told, setTold] = useState(count);
  const now = isRead ? count : Math.min(told, count);
  if (now !== told) setTold(now);
  return now - 1;
}

interface Given extends Props {
  place: number;
  setAt: (place: number) => void;
  setIsRead: (isRead: boolean) => void;
}

/** Handlers of the keyboard that keep their identity whatever is given. */
function useActs(given: Given) {
  const latest = useRef(given);
  useEffect(() => {
    latest.current = given;
  });
  return useMemo(() => {
    const read = (isRead: boolean) => {
      latest.current.setIsRead(isRead);
      latest.current.onRead(isRead ? latest.current.place : null);
    };
    return {
      onFocus: () => read(true),
      onBlur: () => read(false),
      onKeyDown: (event: KeyboardEvent) => {
        const { onChoose, onRow, place } = latest.current;
        if (event.key === 'Enter') onChoose?.(place);
        const by = ROWS[event.key];
        if (!by || !onRow) return;
        event.preventDefault();
        onRow(by);
      },
      onChange: ({ currentTarget: { valueAsNumber } }: ChangeEvent<HTMLInputElement>) => {
        latest.current.setAt(valueAsNumber);
        latest.current.onRead(valueAsNumber);
      },
    };
  }, []);
}

/** Reads a chart by keys: arrows move along it, and screen readers say what is there. It lies over the plot, unseen. */
export function ChartReader(props: Props) {
  const { label, count, words, onChoose } = props;
  const [isRead, setIsRead] = useState(false);
  const [at, setAt] = useState(0);
  const last = useLast(count, isRead);
  const place = Math.min(at, last);
  const acts = useActs({ ...props, place, setAt, setIsRead });
  const text = count === 0 ? '' : words(place);
  const keys = onChoose && 'Enter';
  // One element as long as it says the same: of another one, React writes the whole field to the page.
  const slider = useMemo(
    () => (
      <input
        type="range"
        className={`${classes.reader} no-print`}
        aria-label={t`${label}: values, by arrow keys`}
        aria-valuetext={text}
        aria-keyshortcuts={keys}
        min={0}
        max={last}
        value={place}
        {...acts}
      />
    ),
    [label, text, keys, last, place, acts],
  );
  return count === 0 ? null : slider;
}
