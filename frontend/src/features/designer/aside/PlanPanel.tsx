import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { DesignPlan } from '@/api/generated';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';
import { TrialTimeline } from './TrialTimeline';

/** The whole plan to scale with its finishing hour, and one trial in detail. */
export function PlanPanel({ plan }: { plan: DesignPlan }) {
  const { max_blocks, max_trials, max_total_s } = plan;
  const longest = formatDuration(max_total_s);
  return (
    <div className={classes.planPanel}>
      <PlanTimeline plan={plan} />
      {max_blocks > plan.blocks && (
        <Text size="xs" c="var(--text-dim)">
          {t`Up to ${max_blocks} blocks, ${max_trials} trials, ${longest} until the result is precise enough.`}
        </Text>
      )}
      <TrialTimeline plan={plan} />
    </div>
  );
}
