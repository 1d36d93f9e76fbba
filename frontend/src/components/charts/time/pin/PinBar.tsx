import { Trans } from '@lingui/react/macro';
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
