import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconPinnedOff } from '@tabler/icons-react';
import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { formatOffset } from '@/lib/format';
import { useSearchState } from '@/lib/useAddress';
import { type OnMoment, PinContext, parsePin, pinText } from './pin';
import classes from './range/range.module.css';
import { useEscape } from './useEscape';

interface Props {
  at: number;
  /** For who may write on the moment. */
  onNote: (() => void) | undefined;
  onRelease: () => void;
}

/** In sight wherever the reader is: which moment charts keep, and how they let go of it. */
function PinBar({ at, onNote, onRelease }: Props) {
  const time = formatOffset(at);
  return (
    <div className={`${classes.bar} no-print`} data-pin>
      <span role="status">
        <Trans>
          Pinned: <b>{time}</b>
        </Trans>
      </span>
      {onNote && (
        <Button size="compact-sm" variant="default" onClick={onNote}>
          <Trans>Add a note</Trans>
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPinnedOff size={14} aria-hidden />}
        onClick={onRelease}
      >
        <Trans>Unpin</Trans>
      </Button>
    </div>
  );
}

/** Charts over time below it keep what they read at one moment, which is pinned in any of them and stands in the address. */
export function PinProvider({ children }: { children: ReactNode }) {
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
  const release = useCallback(() => setText(null), [setText]);
  useEscape(pinned === null ? null : release);
  return (
    <PinContext value={choice}>
      {children}
      {pinned !== null && (
        <PinBar at={pinned} onNote={note ? () => note.on(pinned) : undefined} onRelease={release} />
      )}
    </PinContext>
  );
}
