import { Button, Group, Text } from '@mantine/core';
import type { RunDetail, TrialOut } from '@/api/generated';
import { useCatalogue } from '@/api/useCatalogue';
import { useHasRole } from '@/api/useMe';
import { ArmMark } from '@/components/experiments/ArmMark';
import { AddNoteButton } from '@/components/notes/AddNoteButton';
import { RawRemovedNote } from '@/components/runs/RawRemovedNote';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { isOver } from '@/domain/runs';
import { armIndex, armLabel, latestAttempts } from '@/domain/trials';
import { useSearchState } from '@/lib/useSearchState';
import classes from '../RunPage.module.css';
import { RunProgress } from '../RunProgress';
import { SkipTrialButton } from '../SkipTrialButton';
import { TrialGrid } from '../TrialGrid';
import { LiveCharts } from './LiveCharts';

/** The trial whose charts are shown: the one that was chosen, else the running one, else the last that began. */
function useSelectedTrial(run: RunDetail) {
  const [chosen, choose] = useSearchState('trial');
  const trials = latestAttempts(run.trials);
  const current = run.progress.current_trial_id;
  const lastStarted = trials.filter((trial) => trial.phase_at !== null || trial.finished_at !== null).at(-1);
  const selected = trials.find((trial) => trial.id === (chosen || current)) ?? lastStarted;
  return { selected, select: (id: string) => choose(id === current ? null : id), follow: () => choose(null) };
}

interface HeadProps {
  run: RunDetail;
  trial: TrialOut;
  onFollow: () => void;
}

function Head({ run, trial, onFollow }: HeadProps) {
  const current = run.progress.current_trial_id;
  const isRunning = trial.id === current;
  const mayWrite = useHasRole('experimenter');
  return (
    <Group gap="sm" mb={8} mih={30}>
      <ArmMark index={armIndex(run.arms, trial.arm)} label={armLabel(run.arms, trial.arm)} />
      <Text size="sm" c="var(--text-dim)">
        block {trial.block}, {isRunning ? 'running now' : trial.state}
      </Text>
      {!isRunning && current && (
        <Button variant="default" size="compact-xs" onClick={onFollow}>
          Follow the running trial
        </Button>
      )}
      {mayWrite && <AddNoteButton run={run} place={{ trialId: trial.id }} label="Add a note on this trial" />}
      <SkipTrialButton run={run} trial={trial} />
    </Group>
  );
}

function NoTrial({ run }: { run: RunDetail }) {
  return (
    <Panel>
      {isOver(run) ? (
        <EmptyState title="No trial was run" />
      ) : (
        <EmptyState title="No trial has begun yet">Charts appear with the first readings.</EmptyState>
      )}
    </Panel>
  );
}

/** How far the run is, and the charts of one of its trials. */
export function TrialCharts({ run }: { run: RunDetail }) {
  const catalogue = useCatalogue();
  const { selected, select, follow } = useSelectedTrial(run);
  return (
    <>
      <section className={classes.overview} aria-label="Progress">
        <RunProgress run={run} />
        <TrialGrid run={run} selectedId={selected?.id} onSelect={select} />
      </section>
      {!selected && <NoTrial run={run} />}
      {selected && (
        <section aria-label="Charts">
          <Head run={run} trial={selected} onFollow={follow} />
          {catalogue.isError && (
            <ProblemNotice error={catalogue.error} retry={() => void catalogue.refetch()} />
          )}
          <RawRemovedNote removed={run.raw_removed} />
          {catalogue.data && !run.raw_removed && (
            <LiveCharts run={run} trial={selected} catalogue={catalogue.data} />
          )}
        </section>
      )}
    </>
  );
}
