import { t } from '@lingui/core/macro';
import { Button, Popover, Skeleton } from '@mantine/core';
import { IconTag } from '@tabler/icons-react';
import { Suspense } from 'react';
import type { RunSummary } from '@/api/generated';
import { useMayChange } from '@/api/session';
import { lazyPart } from '@/components/ui/lazyPart';
import { RunTags } from './RunTags';

interface Props {
  run: Pick<RunSummary, 'id' | 'experiment_name' | 'number' | 'created_by' | 'tags'>;
}

const TagsField = lazyPart(() => import('./TagsField').then(({ TagsField }) => TagsField));

export function TagEditor({ run }: Props) {
  const mayChange = useMayChange(run);
  const name = `${run.experiment_name} #${run.number}`;
  return (
    <>
      <RunTags tags={run.tags} />
      {mayChange && (
        <Popover position="bottom-start" width={300} trapFocus returnFocus withinPortal shadow="md">
          <Popover.Target>
            <Button
              variant="subtle"
              color="gray"
              size="compact-xs"
              className="no-print"
              leftSection={<IconTag size={13} aria-hidden />}
              aria-label={t`Tags of ${name}`}
            >
              {run.tags.length > 0 ? t`Edit tags` : t`Add tags`}
            </Button>
          </Popover.Target>
          <Popover.Dropdown>
            <Suspense fallback={<Skeleton height={90} />}>
              <TagsField run={run} />
            </Suspense>
          </Popover.Dropdown>
        </Popover>
      )}
    </>
  );
}
