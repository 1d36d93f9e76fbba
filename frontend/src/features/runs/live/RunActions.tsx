import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlayerPause, IconPlayerPlay, IconRefresh, IconReportAnalytics } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { RunDetail } from '@/api/generated';
import { isOver, isPaused } from '@/domain/runs';
import { useCancelRun } from './api/useCancelRun';
import { usePauseRun } from './api/usePauseRun';
import { useResumeRun } from './api/useResumeRun';
import { useRetryRun } from './api/useRetryRun';

/** Hold a run between two trials, or let it go on. */
function PauseButton({ run }: { run: RunDetail }) {
  const pause = usePauseRun(run.id);
  const resume = useResumeRun(run.id);
  return isPaused(run) ? (
    <Button
      leftSection={<IconPlayerPlay size={14} />}
      loading={resume.isPending}
      onClick={() => resume.mutate()}
    >
      Resume
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<IconPlayerPause size={14} />}
      loading={pause.isPending}
      onClick={() => pause.mutate()}
    >
      Pause
    </Button>
  );
}

function CancelButton({ run }: { run: RunDetail }) {
  const cancel = useCancelRun(run.id);
  const ask = () =>
    modals.openConfirmModal({
      title: 'Cancel this run?',
      children: (
        <Text size="sm">The run ends within seconds. Measurements so far are kept and reported.</Text>
      ),
      labels: { confirm: 'Cancel the run', cancel: 'Keep running' },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate(),
    });
  return (
    <Button
      variant="default"
      onClick={ask}
      loading={cancel.isPending}
      disabled={run.cancel_requested_at !== null}
    >
      {run.cancel_requested_at ? 'Cancelling…' : 'Cancel run'}
    </Button>
  );
}

function RetryButton({ run }: { run: RunDetail }) {
  const retry = useRetryRun(run.id);
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={retry.isPending}
      onClick={() => retry.mutate()}
    >
      Retry failed trials
    </Button>
  );
}

export function RunActions({ run }: { run: RunDetail }) {
  const over = isOver(run);
  return (
    <>
      {!over && run.may_change && run.cancel_requested_at === null && <PauseButton run={run} />}
      {!over && run.may_change && <CancelButton run={run} />}
      {run.state === 'failed' && run.may_change && <RetryButton run={run} />}
      <Button
        component={Link}
        to={`/runs/${run.id}/report`}
        variant={over ? 'filled' : 'default'}
        leftSection={<IconReportAnalytics size={15} />}
      >
        {over ? 'Open report' : 'Report so far'}
      </Button>
    </>
  );
}
