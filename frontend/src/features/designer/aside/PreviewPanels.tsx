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
      <Panel title="Preview">
        <Text size="sm" c="var(--text-dim)">
          Plan and configurations are shown as soon as every field has its shape.
        </Text>
      </Panel>
    );
  const note = isStale ? 'As of the last draft that made sense.' : undefined;
  return (
    <div className={classes.preview} data-stale={isStale || undefined}>
      <Panel title="Plan" note={note}>
        <PlanPanel plan={sound.plan} />
      </Panel>
      <Panel
        id="configs"
        title="nginx.conf"
        note={note ?? 'What each arm runs; changes are against the baseline.'}
      >
        <ArmConfigs arms={sound.arms} baseline={sound.baseline ?? ''} />
      </Panel>
    </div>
  );
}
