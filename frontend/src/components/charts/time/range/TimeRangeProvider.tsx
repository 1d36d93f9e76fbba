import { type ReactNode, useCallback, useMemo } from 'react';
import { useSearchState } from '@/lib/address/useSearchState';
import { useEscape } from '../useEscape';
import { RangeBar } from './RangeBar';
import { parseRange, RangeContext, rangeText, type TimeRange } from './timeRange';

interface Props {
  /** Ends of the axis of all charts below. */
  from: number;
  to: number;
  children: ReactNode;
}

/** Charts over time below it show one range, which is chosen in any of them and stands in the address. */
export function TimeRangeProvider({ from, to, children }: Props) {
  const [text, setText] = useSearchState('range');
  const choose = useCallback(
    (range: TimeRange | null) => setText(range === null ? null : rangeText(range)),
    [setText],
  );
  const choice = useMemo(() => {
    const whole = [from, to] as const;
    return { whole, range: parseRange(text, whole), choose };
  }, [text, from, to, choose]);
  const reset = useCallback(() => choose(null), [choose]);
  useEscape(choice.range && reset);
  return (
    <RangeContext value={choice}>
      {children}
      {choice.range && <RangeBar range={choice.range} onReset={reset} />}
    </RangeContext>
  );
}
