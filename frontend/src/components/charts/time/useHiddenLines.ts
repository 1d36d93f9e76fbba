import { useCallback, useMemo, useState } from 'react';
import type { Line } from './align';

/** Lines without those that a reader has hidden, by the names that the legend gives; and how one hides or shows them. */
export function useHiddenLines(lines: Line[]) {
  const [hidden, setHidden] = useState<readonly string[]>([]);
  const onToggle = useCallback(
    (label: string) =>
      setHidden((old) => (old.includes(label) ? old.filter((one) => one !== label) : [...old, label])),
    [],
  );
  const shown = useMemo(
    () => (hidden.length > 0 ? lines.filter(({ label }) => !hidden.includes(label)) : lines),
    [lines, hidden],
  );
  // Without its only line, a chart shows nothing.
  return { shown, hidden, onToggle: lines.length > 1 ? onToggle : undefined };
}
