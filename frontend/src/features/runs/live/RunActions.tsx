import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, type ButtonProps, Group, Stack, Text } from '@mantine/core';
import {
  IconAlertTriangle,
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
import { askFirst, type Question } from '@/components/access/askFirst';
import { AddBlocksButton } from '@/components/runs/AddBlocks';
import { RunMenu } from '@/components/runs/RunMenu';
import { ServerText } from '@/components/ui/language/ServerText';
import { isOver, isPaused } from '@/domain/runs';
import { formatDateTime } from '@/lib/time';
import { sameButForTime, useAnsweredRun } from './useRun';

interface ActProps extends ButtonProps {
  run: RunDetail;
  act: ReturnType<typeof pauseRunMutation>;
  /** Asked first. */
  question?: Omit<Question, 'onConfirm'>;
}

/** Something to do with a run, which answers with the run as it is then. */
function ActButton({ run, act, question, ...button }: ActProps) {
  const { isPending, mutate } = useMutation({ ...act, ...useAnsweredRun() });
  const go = () => mutate({ path: { run_id: run.id } });
  const ask = question ? () => askFirst({ ...question, onConfirm: go }) : go;
  return <Button variant="default" loading={isPending} onClick={ask} {...button} />;
}

/** A run whose first trial of an arm had errors only asks whether to go on: what was seen, and both answers. */
export const AskedPanel = memo(function AskedPanel({ run }: { run: RunDetail }) {
  if (!run.asks || isOver(run)) return null;
  const until = formatDateTime(run.asks.until);
  return (
    <Alert
      role="alert"
      variant="light"
      color="yellow"
      mb="md"
      icon={<IconAlertTriangle size={16} />}
      title={t`Nothing but errors in a first trial. Go on?`}
    >
      <Stack gap="xs">
        <Text size="sm" style={{ overflowWrap: 'anywhere' }}>
          <ServerText text={run.asks.reason} />
        </Text>
        <Text size="sm">
          {t`The run waits, and its hosts are free. Without an answer it ends at ${until}.`}
        </Text>
        {run.may_change && run.cancel_requested_at === null && (
          <Group gap="sm">
            <ActButton
              run={run}
              act={resumeRunMutation()}
              variant="filled"
              leftSection={<IconPlayerPlay size={14} />}
            >
              {t`Go on`}
            </ActButton>
            <ActButton run={run} act={cancelRunMutation()}>
              {t`Cancel`}
            </ActButton>
          </Group>
        )}
      </Stack>
    </Alert>
  );
}, sameButForTime);

/** Hold a run between two trials, or let it go on. */
function PauseButton({ run }: { run: RunDetail }) {
  const isHeld = isPaused(run);
  return (
    <ActButton
      run={run}
      act={isHeld ? resumeRunMutation() : pauseRunMutation()}
      variant={isHeld ? 'filled' : 'default'}
      leftSection={isHeld ? <IconPlayerPlay size={14} /> : <IconPlayerPause size={14} />}
    >
      {isHeld ? t`Resume` : t`Pause`}
    </ActButton>
  );
}

function CancelButton({ run }: { run: RunDetail }) {
  const question = {
    title: t`Cancel this run?`,
    text: t`The run ends within seconds. Measurements so far are kept and reported.`,
    confirm: t`Cancel the run`,
    cancel: t`Keep running`,
  };
  return (
    <ActButton
      run={run}
      act={cancelRunMutation()}
      question={question}
      disabled={run.cancel_requested_at !== null}
    >
      {run.cancel_requested_at ? t`Cancelling…` : t`Cancel run`}
    </ActButton>
  );
}

function WhatFinishingDrops({ block }: { block: number | null }) {
  return block === null ? (
    <Trans>
      Block in progress is completed, and the blocks after it are dropped. The verdict stays valid: its
      intervals hold at every look. It needs at least 5 complete blocks to decide.
    </Trans>
  ) : (
    <Trans>
      Block {block} is completed, and the blocks after it are dropped. The verdict stays valid: its intervals
      hold at every look. It needs at least 5 complete blocks to decide.
    </Trans>
  );
}

/** End a run after the block in progress. It stands still where it does nothing, so that the page does not jump. */
function FinishButton({ run }: { run: RunDetail }) {
  const question = {
    title: t`Finish after this block?`,
    text: <WhatFinishingDrops block={run.progress.block} />,
    confirm: t`Finish after this block`,
    cancel: t`Run all blocks`,
    isHarmless: true,
  };
  return (
    <ActButton
      run={run}
      act={finishRunMutation()}
      question={question}
      leftSection={<IconFlag size={14} />}
      disabled={run.finish_requested_at !== null || !mayFinish(run)}
    >
      {run.finish_requested_at ? t`Finishing after this block…` : t`Finish after this block`}
    </ActButton>
  );
}

const mostBlocks = (run: RunDetail) => Math.max(run.most_blocks, ...run.added_to);

/** Whether blocks are left that may be dropped: not before the first block, and not in the last, which ends it anyway. */
function mayFinish(run: RunDetail): boolean {
  if (run.state !== 'running' || run.cancel_requested_at !== null) return false;
  const most = mostBlocks(run);
  const counting = run.trials.filter(({ heat, state }) => !heat && state !== 'pending');
  const begun = Math.max(0, ...counting.map(({ block }) => block));
  return begun > 0 && begun < most;
}

export const RunActions = memo(function RunActions({ run }: { run: RunDetail }) {
  const over = isOver(run);
  const navigate = useNavigate();
  return (
    <>
      {!over && run.may_change && !run.asks && run.cancel_requested_at === null && <PauseButton run={run} />}
      {!over && run.may_change && mostBlocks(run) > 1 && <FinishButton run={run} />}
      {!over && run.may_change && <CancelButton run={run} />}
      {run.state === 'failed' && run.may_change && (
        <ActButton run={run} act={retryRunMutation()} leftSection={<IconRefresh size={14} />}>
          {t`Retry failed trials`}
        </ActButton>
      )}
      <AddBlocksButton run={run} />
      {over && (
        <Button component={Link} to={`/compare?runs=${run.id}`} variant="default">
          {t`Compare with…`}
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
