import { Text } from '@mantine/core';
import type { DesignPlan } from '@/api/generated';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { formatDuration } from '@/lib/format';
import classes from './aside.module.css';
import { TrialTimeline } from './TrialTimeline';

/** The whole plan to scale with its finishing hour, and one trial in detail. */
export function PlanPanel({ plan }: { plan: DesignPlan }) {
  return (
    <div className={classes.planPanel}>
      <PlanTimeline plan={plan} />
      {plan.max_blocks > plan.blocks && (
        <Text size="xs" c="var(--text-dim)">
          Up to {plan.max_blocks} blocks, {plan.max_trials} trials, {formatDuration(plan.max_total_s)} until
          the result is precise enough.
        </Text>
      )}
      <TrialTimeline plan={plan} />
    </div>
  );
}
