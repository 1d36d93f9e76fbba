import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Skeleton } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPlus } from '@tabler/icons-react';
import { Suspense } from 'react';
import type { RunDetail } from '@/api/generated';
import { lazyPart, openPart } from '@/components/ui/lazyPart';

/** The most blocks of a run, as the API has it. */
const MOST = 100;

/** Whether a run is over, not all of its questions are decided, and the caller may let it go on. */
export function mayAddBlocks(run: RunDetail): boolean {
  const isOpen = run.more_blocks !== null || run.verdict === 'undecided';
  const canGoOn = run.state === 'completed' && run.imported === null && !run.raw_removed;
  return run.may_change && canGoOn && isOpen && run.plan.blocks < MOST;
}

const load = () => import('./AddBlocksForm').then(({ AddBlocksForm }) => AddBlocksForm);
const AddBlocksForm = lazyPart(load);

/** Lets a run that is over go on, where something is undecided. `onAdded`: it goes on. */
export function AddBlocksButton({ run, onAdded }: { run: RunDetail; onAdded?: () => void }) {
  if (!mayAddBlocks(run)) return null;
  const open = () => {
    const id = modals.open({
      title: t`Add blocks to this run`,
      children: (
        <Suspense fallback={<Skeleton height={240} />}>
          <AddBlocksForm
            run={run}
            most={MOST - run.plan.blocks}
            onCancel={() => modals.close(id)}
            onAdded={() => {
              modals.close(id);
              onAdded?.();
            }}
          />
        </Suspense>
      ),
    });
  };
  return (
    <Button variant="default" leftSection={<IconPlus size={14} />} onClick={() => void openPart(load, open)}>
      <Trans>Add blocks</Trans>
    </Button>
  );
}
