import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlayerSkipForward } from '@tabler/icons-react';
import type { RunDetail, TrialOut } from '@/api/generated';
import { isOver } from '@/domain/runs';
import { armLabel } from '@/domain/trials';
import { useSkipTrial } from './api/useSkipTrial';

/** Go on without the selected trial, whether it waits, runs or has failed. */
export function SkipTrialButton({ run, trial }: { run: RunDetail; trial: TrialOut }) {
  const skip = useSkipTrial();
  const done = trial.state === 'completed' || trial.state === 'skipped';
  if (isOver(run) || !run.may_change || done) return null;
  const arm = armLabel(run.arms, trial.arm);
  const { block } = trial;
  const ask = () =>
    modals.openConfirmModal({
      title: t`Skip this trial?`,
      children: (
        <Text size="sm">
          {t`${arm}, block ${block}: the run continues without it. Its block stays incomplete.`}
        </Text>
      ),
      labels: { confirm: t`Skip the trial`, cancel: t`Cancel` },
      onConfirm: () => skip.mutate(trial.id),
    });
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<IconPlayerSkipForward size={13} />}
      loading={skip.isPending}
      onClick={ask}
    >
      <Trans>Skip trial</Trans>
    </Button>
  );
}
