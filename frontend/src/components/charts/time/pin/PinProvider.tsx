import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { useSearchState } from '@/lib/address/useSearchState';
import { useEscape } from '../useEscape';
import { PinBar } from './PinBar';
import { type OnMoment, PinContext, parsePin, pinText } from './pin';

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
