import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconZoomReset } from '@tabler/icons-react';
import { type ReactNode, useCallback, useMemo } from 'react';
import { useSearchState } from '@/lib/useAddress';
import { useEscape } from '../useEscape';
import classes from './range.module.css';
import { parseRange, RangeContext, rangeText, spanWords, type TimeRange } from './timeRange';

/** In sight wherever the reader is: charts show a part of the time, and the way back. */
function RangeBar({ range, onReset }: { range: TimeRange; onReset: () => void }) {
  const span = spanWords(range);
  return (
    <div className={`${classes.bar} no-print`}>
      <span role="status">
        <Trans>
          Charts over time show <b>{span}</b>
        </Trans>
      </span>
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconZoomReset size={14} aria-hidden />}
        onClick={onReset}
      >
        <Trans>Whole trial</Trans>
      </Button>
    </div>
  );
}

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
