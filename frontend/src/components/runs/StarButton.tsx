import { t } from '@lingui/core/macro';
import { ActionIcon, Tooltip } from '@mantine/core';
import { IconStar, IconStarFilled } from '@tabler/icons-react';
import type { RunSummary } from '@/api/generated';
import { useStarRun } from '@/api/runs';
import { useHasRole } from '@/api/session';

interface Props {
  run: Pick<RunSummary, 'id' | 'experiment_name' | 'number' | 'starred'>;
  className?: string;
}

/** The team's mark of a run that is worth keeping; who may not set it sees only that it is set. */
export function StarButton({ run, className }: Props) {
  const mayStar = useHasRole('experimenter');
  const star = useStarRun(run.id);
  const isStarred = star.isPending ? star.variables : run.starred;
  if (!mayStar && !isStarred) return null;
  const name = `${run.experiment_name} #${run.number}`;
  const Icon = isStarred ? IconStarFilled : IconStar;
  return (
    <Tooltip label={isStarred ? t`Starred: worth keeping` : t`Star: worth keeping`}>
      <ActionIcon
        color={isStarred ? 'yellow.7' : 'gray'}
        className={className}
        aria-label={t`Star ${name}`}
        aria-pressed={isStarred}
        disabled={!mayStar}
        onClick={() => star.mutate(!isStarred)}
      >
        <Icon size={14} aria-hidden />
      </ActionIcon>
    </Tooltip>
  );
}
