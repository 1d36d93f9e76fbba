import { t } from '@lingui/core/macro';
import { Skeleton, Text } from '@mantine/core';
import type { DesignPlan } from '@/api/generated';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDuration } from '@/lib/format';
import type { LivePreview } from '../useProblems';
import classes from './aside.module.css';
import { TrialTimeline } from './TrialTimeline';

/** What the draft would run: the plan, and each arm's nginx.conf. */
export function PreviewPanels({ preview }: { preview: LivePreview }) {
  const { sound, query, isStale } = preview;
  if (query.isError) return <ProblemNotice error={query.error} retry={() => void query.refetch()} />;
  if (query.isPending) return <Skeleton height={180} />;
  if (!sound?.plan)
    return (
      <Panel title={t`Preview`}>
        <Text size="sm" c="var(--text-dim)">
          {t`The plan and the configurations appear when every field has a valid value.`}
        </Text>
      </Panel>
    );
  const note = isStale ? t`Based on the last valid draft.` : undefined;
  return (
    <div className={classes.preview} data-stale={isStale || undefined}>
      <Panel title={t`Plan`} note={note}>
        <PlanPanel plan={sound.plan} />
      </Panel>
      <Panel
        id="configs"
        title="nginx.conf"
        note={note ?? t`The configuration of each arm. Changes are relative to the baseline.`}
      >
        <ArmConfigs arms={sound.arms} baseline={sound.baseline ?? ''} />
      </Panel>
    </div>
  );
}

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
