import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import {
  IconFlag,
  IconPlayerPause,
  IconPlayerPlay,
  IconRefresh,
  IconReportAnalytics,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { memo } from 'react';
import { Link, useNavigate } from 'react-router';
import {
  cancelRunMutation,
  finishRunMutation,
  pauseRunMutation,
  type RunDetail,
  resumeRunMutation,
  retryRunMutation,
} from '@/api/generated';
import { RunMenu } from '@/components/runs/RunMenu';
import { isOver, isPaused } from '@/domain/runs';
import { sameButForTime, useAnsweredRun } from './useRun';

/** Hold a run between two trials, or let it go on. */
function PauseButton({ run }: { run: RunDetail }) {
  const pause = useMutation({ ...pauseRunMutation(), ...useAnsweredRun() });
  const resume = useMutation({ ...resumeRunMutation(), ...useAnsweredRun() });
  return isPaused(run) ? (
    <Button
      leftSection={<IconPlayerPlay size={14} />}
      loading={resume.isPending}
      onClick={() => resume.mutate({ path: { run_id: run.id } })}
    >
      <Trans>Resume</Trans>
    </Button>
  ) : (
    <Button
      variant="default"
      leftSection={<IconPlayerPause size={14} />}
      loading={pause.isPending}
      onClick={() => pause.mutate({ path: { run_id: run.id } })}
    >
      <Trans>Pause</Trans>
    </Button>
  );
}

function CancelButton({ run }: { run: RunDetail }) {
  const cancel = useMutation({ ...cancelRunMutation(), ...useAnsweredRun() });
  const ask = () =>
    modals.openConfirmModal({
      title: t`Cancel this run?`,
      children: (
        <Text size="sm">{t`The run ends within seconds. Measurements so far are kept and reported.`}</Text>
      ),
      labels: { confirm: t`Cancel the run`, cancel: t`Keep running` },
      confirmProps: { color: 'red' },
      onConfirm: () => cancel.mutate({ path: { run_id: run.id } }),
    });
  return (
    <Button
      variant="default"
      onClick={ask}
      loading={cancel.isPending}
      disabled={run.cancel_requested_at !== null}
    >
      {run.cancel_requested_at ? t`Cancelling…` : t`Cancel run`}
    </Button>
  );
}

/** End a run after the block in progress. Not offered in the last block, which ends it anyway. */
function FinishButton({ run }: { run: RunDetail }) {
  const finish = useMutation({ ...finishRunMutation(), ...useAnsweredRun() });
  const { block } = run.progress;
  const ask = () =>
    modals.openConfirmModal({
      title: t`Finish after this block?`,
      children: (
        <Text size="sm">
          {block === null ? (
            <Trans>
              Block in progress is completed, and the blocks after it are dropped. The verdict stays valid:
              its intervals hold at every look. It needs at least 5 complete blocks to decide.
            </Trans>
          ) : (
            <Trans>
              Block {block} is completed, and the blocks after it are dropped. The verdict stays valid: its
              intervals hold at every look. It needs at least 5 complete blocks to decide.
            </Trans>
          )}
        </Text>
      ),
      labels: { confirm: t`Finish after this block`, cancel: t`Run all blocks` },
      onConfirm: () => finish.mutate({ path: { run_id: run.id } }),
    });
  return (
    <Button
      variant="default"
      leftSection={<IconFlag size={14} />}
      onClick={ask}
      loading={finish.isPending}
      disabled={run.finish_requested_at !== null}
    >
      {run.finish_requested_at ? t`Finishing after this block…` : t`Finish after this block`}
    </Button>
  );
}

function RetryButton({ run }: { run: RunDetail }) {
  const retry = useMutation({ ...retryRunMutation(), ...useAnsweredRun() });
  return (
    <Button
      variant="default"
      leftSection={<IconRefresh size={14} />}
      loading={retry.isPending}
      onClick={() => retry.mutate({ path: { run_id: run.id } })}
    >
      <Trans>Retry failed trials</Trans>
    </Button>
  );
}

/** Whether blocks are left that may be dropped, or were dropped already. */
function mayFinish(run: RunDetail): boolean {
  if (!run.may_change || run.state !== 'running' || run.cancel_requested_at !== null) return false;
  if (run.finish_requested_at !== null) return true;
  const most = run.plan.stop.kind === 'precision' ? run.plan.stop.max_blocks : run.plan.blocks;
  const begun = Math.max(0, ...run.trials.map((trial) => (trial.state === 'pending' ? 0 : trial.block)));
  return begun > 0 && begun < most;
}

export const RunActions = memo(function RunActions({ run }: { run: RunDetail }) {
  const over = isOver(run);
  const navigate = useNavigate();
  return (
    <>
      {!over && run.may_change && run.cancel_requested_at === null && <PauseButton run={run} />}
      {mayFinish(run) && <FinishButton run={run} />}
      {!over && run.may_change && <CancelButton run={run} />}
      {run.state === 'failed' && run.may_change && <RetryButton run={run} />}
      {over && (
        <Button component={Link} to={`/compare?runs=${run.id}`} variant="default">
          <Trans>Compare with…</Trans>
        </Button>
      )}
      <Button
        component={Link}
        to={`/runs/${run.id}/report`}
        variant={over ? 'filled' : 'default'}
        leftSection={<IconReportAnalytics size={15} />}
      >
        {over ? t`Open report` : t`Report so far`}
      </Button>
      <RunMenu run={run} onDeleted={() => void navigate('/runs')} />
    </>
  );
}, sameButForTime);
