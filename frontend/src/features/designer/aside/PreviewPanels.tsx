import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { PlanTimeline } from '@/components/experiments/PlanTimeline';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { formatDuration } from '@/lib/format';
import { Note } from '../fields/Section';
import type { LivePreview } from '../useProblems';
import classes from './aside.module.css';
import { TrialTimeline } from './TrialTimeline';

/** What the draft would run: the plan, and each arm's nginx.conf. */
export function PreviewPanels({ preview }: { preview: LivePreview }) {
  const { sound, query, isStale } = preview;
  if (query.isError) return <ProblemNotice error={query.error} retry={() => void query.refetch()} />;
  if (query.isPending) return <Skeleton height={180} aria-busy="true" />;
  if (!sound?.plan)
    return (
      <Panel title={t`Preview`}>
        <Note size="sm">{t`The plan and the configurations appear when every field has a valid value.`}</Note>
      </Panel>
    );
  const { blocks, max_blocks, max_trials, max_total_s } = sound.plan;
  const longest = formatDuration(max_total_s);
  const note = isStale ? t`Based on the last valid draft.` : undefined;
  return (
    <div className={classes.preview} data-stale={isStale || undefined}>
      <Panel title={t`Plan`} note={note}>
        <div className={classes.planPanel}>
          <PlanTimeline plan={sound.plan} />
          {max_blocks > blocks && (
            <Note>
              {t`Up to ${max_blocks} blocks, ${max_trials} trials, ${longest} until the stop rule ends the run.`}
            </Note>
          )}
          <TrialTimeline plan={sound.plan} />
        </div>
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
