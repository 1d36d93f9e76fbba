import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { type SubmitEvent, useState } from 'react';
import type { RunDetail } from '@/api/generated';
import { useAddBlocks } from '@/api/runs';
import { Dim } from '@/components/ui/Dim';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDuration } from '@/lib/format';

/** How long one block takes, in seconds: each arm once. */
function blockSeconds({ arms, plan }: RunDetail): number {
  return arms.filter(({ dropped }) => !dropped).length * (plan.warmup_s + plan.measure_s + plan.cooldown_s);
}

function Cost({ run, total }: { run: RunDetail; total: number }) {
  if (total <= run.most_blocks)
    return (
      <Trans>
        It costs nothing but this time: the plan allows so many blocks, and its error is shared by all of them
        already.
      </Trans>
    );
  return (
    <Trans>
      What is decided stands. What is open is judged again once all blocks are complete, with a small part of
      the 5 % by which a run may err, as it was looked at before. So its interval is wider than that of a run
      planned with {total} blocks, and each addition leaves less for the next: rather add enough at once.
    </Trans>
  );
}

interface FormProps {
  run: RunDetail;
  /** So many blocks may be added. */
  most: number;
  onAdded: () => void;
  onCancel: () => void;
}

export function AddBlocksForm({ run, most, onAdded, onCancel }: FormProps) {
  const { blocks } = run.plan;
  const wanted = run.more_blocks;
  const [more, setMore] = useState<string | number>(Math.min(wanted ?? blocks, most));
  const adding = useAddBlocks();
  const total = blocks + Number(more);
  const duration = formatDuration(Number(more) * blockSeconds(run));

  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (total > blocks)
      adding.mutate({ path: { run_id: run.id }, body: { blocks: total } }, { onSuccess: onAdded });
  }
  return (
    <form onSubmit={submit} aria-label={t`Add blocks`}>
      <Stack gap="sm">
        <NumberInput
          data-autofocus
          label={t`More blocks`}
          description={
            wanted !== null && wanted <= most ? t`The report's sentences ask for ${wanted}.` : undefined
          }
          value={more}
          onChange={setMore}
          min={1}
          max={most}
          clampBehavior="strict"
          allowDecimal={false}
        />
        <Text size="sm" aria-live="polite">
          {total > blocks &&
            t`${total} blocks in all; about ${duration} more. The order of trials continues.`}
        </Text>
        <Dim>
          <Cost run={run} total={total} />
        </Dim>
        {adding.error && <ProblemNotice error={adding.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onCancel}>{t`Cancel`}</Button>
          <Button type="submit" loading={adding.isPending} disabled={total <= blocks}>{t`Add blocks`}</Button>
        </Group>
      </Stack>
    </form>
  );
}
