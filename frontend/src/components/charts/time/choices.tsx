import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, TextInput } from '@mantine/core';
import { useWindowEvent } from '@mantine/hooks';
import { IconPinnedOff, IconZoomReset } from '@tabler/icons-react';
import { type FormEvent, type ReactNode, useCallback, useMemo, useState } from 'react';
import { formatOffset } from '@/lib/format';
import { useSearchState } from '@/lib/useAddress';
import { type OnMoment, PinContext, parsePin, pinText } from './pin';
import classes from './range/range.module.css';
import {
  parseRange,
  RangeContext,
  rangeBetween,
  rangeText,
  spanWords,
  type TimeRange,
  useTimeRange,
} from './range/timeRange';

/** In these, Escape means something else. */
const OWN_ESCAPE = '[role="dialog"], [role="menu"], nav';

interface ChoiceBarProps {
  says: ReactNode;
  icon: ReactNode;
  back: string;
  onBack: () => void;
  children?: ReactNode;
}

/** In sight wherever the reader is: what charts show of a trial, and the way back, by Escape, too. */
function ChoiceBar({ says, icon, back, onBack, children }: ChoiceBarProps) {
  useWindowEvent('keydown', (event) => {
    const isElsewhere = event.target instanceof Element && event.target.closest(OWN_ESCAPE) !== null;
    if (event.key !== 'Escape' || event.defaultPrevented || isElsewhere) return;
    event.preventDefault();
    onBack();
  });
  return (
    <div className={`${classes.bar} no-print`}>
      <span role="status">{says}</span>
      {children}
      <Button size="compact-sm" variant="default" leftSection={icon} onClick={onBack}>
        {back}
      </Button>
    </div>
  );
}

interface PinProps {
  /** What else may be done with a pinned moment, by its seconds. */
  more?: (t: number) => ReactNode;
  children: ReactNode;
}

/** Charts over time below it keep what they read at one moment, which is pinned in any of them and stands in the address. */
export function PinProvider({ more, children }: PinProps) {
  const [text, setText] = useSearchState('pin');
  const [note, setNote] = useState<{ on: OnMoment } | null>(null);
  const pinned = parsePin(text);
  const pin = useCallback(
    (t: number, onNote: OnMoment | undefined) => {
      setNote(onNote ? { on: onNote } : null);
      setText(pinText(t) === text ? null : pinText(t));
    },
    [text, setText],
  );
  const choice = useMemo(() => ({ pinned, pin }), [pinned, pin]);
  const time = formatOffset(pinned ?? 0);
  return (
    <PinContext value={choice}>
      {children}
      {pinned !== null && (
        <ChoiceBar
          says={
            <Trans>
              Pinned: <b>{time}</b>
            </Trans>
          }
          icon={<IconPinnedOff size={14} aria-hidden />}
          back={t`Unpin`}
          onBack={() => setText(null)}
        >
          {more?.(pinned)}
          {note && (
            <Button size="compact-sm" variant="default" onClick={() => note.on(pinned)}>
              <Trans>Add a note</Trans>
            </Button>
          )}
        </ChoiceBar>
      )}
    </PinContext>
  );
}

interface RangeProps {
  /** Ends of the axis of all charts below. */
  from: number;
  to: number;
  children: ReactNode;
}

/** Charts over time below it show one range, which is chosen in any of them and stands in the address. */
export function TimeRangeProvider({ from, to, children }: RangeProps) {
  const [text, setText] = useSearchState('range');
  const choose = useCallback(
    (range: TimeRange | null) => setText(range === null ? null : rangeText(range)),
    [setText],
  );
  const choice = useMemo(() => {
    const whole = [from, to] as const;
    return { whole, range: parseRange(text, whole), choose };
  }, [text, from, to, choose]);
  const span = choice.range && spanWords(choice.range);
  return (
    <RangeContext value={choice}>
      {children}
      {span && (
        <ChoiceBar
          says={
            <Trans>
              Charts over time show <b>{span}</b>
            </Trans>
          }
          icon={<IconZoomReset size={14} aria-hidden />}
          back={t`Whole trial`}
          onBack={() => choose(null)}
        />
      )}
    </RangeContext>
  );
}

/** The range as two fields: for the keyboard, for fingers, and for who knows the second. */
export function RangeFields() {
  const choice = useTimeRange();
  if (!choice) return null;
  const { whole, range, choose } = choice;
  const [from, to] = range ?? whole;
  const common = {
    type: 'number',
    size: 'xs',
    w: 76,
    min: whole[0],
    max: whole[1],
    step: 0.1,
    required: true,
  };
  const zoom = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const typed = new FormData(event.currentTarget);
    choose(rangeBetween(Number(typed.get('from')), Number(typed.get('to')), whole));
  };
  return (
    <form key={`${from} ${to}`} className={`${classes.fields} no-print`} onSubmit={zoom}>
      <Trans>
        <TextInput {...common} name="from" aria-label={t`Charts from second`} defaultValue={from} />
        to
        <TextInput {...common} name="to" aria-label={t`Charts to second`} defaultValue={to} />s
      </Trans>
      <Button type="submit" size="compact-sm" variant="default">
        <Trans>Zoom</Trans>
      </Button>
    </form>
  );
}
