import { t } from '@lingui/core/macro';
import { Skeleton, Text } from '@mantine/core';
import { ArmConfigs } from '@/components/config/ArmConfigs';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import type { LivePreview } from '../useProblems';
import classes from './aside.module.css';
import { PlanPanel } from './PlanPanel';

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
