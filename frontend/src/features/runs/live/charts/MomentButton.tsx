import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { modals } from '@mantine/modals';
import type { SeriesInfo } from '@/api/generated';
import { formatOffset } from '@/lib/format';
import { Moment } from './Moment';

interface Props {
  trialId: string;
  at: number;
  catalogue: readonly SeriesInfo[];
}

/** Beside a pinned moment of a trial: what happened then. */
export function MomentButton(props: Props) {
  const time = formatOffset(props.at);
  const open = () => modals.open({ size: 'lg', title: t`Around ${time}`, children: <Moment {...props} /> });
  return (
    <Button size="compact-sm" variant="default" onClick={open}>
      <Trans>What happened then</Trans>
    </Button>
  );
}
