import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { IconZoomReset } from '@tabler/icons-react';
import classes from './range.module.css';
import { spanWords, type TimeRange } from './timeRange';

/** In sight wherever the reader is: charts show a part of the time, and the way back. */
export function RangeBar({ range, onReset }: { range: TimeRange; onReset: () => void }) {
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
