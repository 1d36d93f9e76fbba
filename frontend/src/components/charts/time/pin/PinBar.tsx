import { Button } from '@mantine/core';
import { IconPinnedOff } from '@tabler/icons-react';
import { formatOffset } from '@/lib/format';
import classes from '../range/range.module.css';

interface Props {
  at: number;
  /** For who may write on the moment. */
  onNote: (() => void) | undefined;
  onRelease: () => void;
}

/** In sight wherever the reader is: which moment charts keep, and how they let go of it. */
export function PinBar({ at, onNote, onRelease }: Props) {
  return (
    <div className={`${classes.bar} no-print`} data-pin>
      <span role="status">
        Pinned: <b>{formatOffset(at)}</b>
      </span>
      {onNote && (
        <Button size="compact-sm" variant="default" onClick={onNote}>
          Add a note
        </Button>
      )}
      <Button
        size="compact-sm"
        variant="default"
        leftSection={<IconPinnedOff size={14} aria-hidden />}
        onClick={onRelease}
      >
        Unpin
      </Button>
    </div>
  );
}
