import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { type SubmitEvent, useState } from 'react';
import type { RunDetail } from '@/api/generated';
import { useAddBlocks } from '@/api/runs';
import { Dim } from '@/components/ui/Dim';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDuration } from '@/lib/format';

/** The most blocks of a run, as the API has it. */
const MOST = 100;

/** Whether a run is over, not all of its questions are decided, and the caller may let it go on. */
export function mayAddBlocks(run: RunDetail): boolean {
  const isOpen = run.more_blocks !== null || run.verdict === 'undecided';
  const canGoOn = run.state === 'completed' && run.imported === null && !run.raw_removed;
  return run.may_change && canGoOn && isOpen && run.plan.blocks < MOST;
}

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
  onAdded: () => void;
  onCancel: () => void;
}

function AddBlocksForm({ run, onAdded, onCancel }: FormProps) {
  const { blocks } = run.plan;
  const most = MOST - blocks;
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

/** Lets a run that is over go on, where something is undecided. `onAdded`: it goes on. */
export function AddBlocksButton({ run, onAdded }: { run: RunDetail; onAdded?: () => void }) {
  if (!mayAddBlocks(run)) return null;
  const open = () => {
    const id = modals.open({
      title: t`Add blocks to this run`,
      children: (
        <AddBlocksForm
          run={run}
          onCancel={() => modals.close(id)}
          onAdded={() => {
            modals.close(id);
            onAdded?.();
          }}
        />
      ),
    });
  };
  return (
    <Button variant="default" leftSection={<IconPlus size={14} />} onClick={open}>
      <Trans>Add blocks</Trans>
    </Button>
  );
}
