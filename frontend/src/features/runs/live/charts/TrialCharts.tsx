import { t } from '@lingui/core/macro';
import { Button, Group, SegmentedControl, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { itemsOf } from '@/api/client';
import { getCatalogueOptions, type RunDetail, type SeriesInfo, type TrialOut } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { PinProvider } from '@/components/charts/time/choices';
import { ArmMark } from '@/components/experiments/ArmMark';
import { AddNoteButton } from '@/components/notes/openNote';
import { RawRemovedNote } from '@/components/runs/ImportedNote';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { isOver } from '@/domain/runs';
import { nameOfState } from '@/domain/states';
import { armIndex, armLabel, latestAttempts } from '@/domain/trials';
import { useAddress } from '@/lib/useAddress';
import classes from '../RunPage.module.css';
import { RunProgress } from '../RunProgress';
import { SkipTrialButton, TrialGrid } from '../TrialGrid';
import { LiveCharts } from './LiveCharts';
import { MomentButton } from './Moment';
import { OverviewCharts } from './OverviewCharts';
import type { Overview } from './overviewLines';

type View = 'trial' | Overview;

const views = (): { value: View; label: string }[] => [
  { value: 'trial', label: t`One trial` },
  { value: 'arms', label: t`Arms overlaid` },
  { value: 'run', label: t`Whole run` },
];

/** The view is kept in the address. Arms are seen beside each other, unless there is one only, or a trial was chosen. */
function useView({ arms }: RunDetail) {
  const [params, change] = useAddress();
  const chosen = params.get('trial');
  const go = (view: View, trial: string | null) => change({ view: trial === null ? view : null, trial });
  const usual = chosen === null && arms.length > 1 ? 'arms' : 'trial';
  const view = views().find(({ value }) => value === params.get('view'))?.value ?? usual;
  return { view, chosen, go };
}

/** The trial whose charts are shown: the one that was chosen, else the running one, else the last that began. */
function selectedTrial(run: RunDetail, chosen: string | null): TrialOut | undefined {
  const trials = latestAttempts(run.trials);
  const lastStarted = trials.filter((trial) => trial.phase_at !== null || trial.finished_at !== null).at(-1);
  return trials.find((trial) => trial.id === (chosen ?? run.progress.current_trial_id)) ?? lastStarted;
}

function Head({ run, trial, onFollow }: { run: RunDetail; trial: TrialOut; onFollow: () => void }) {
  const current = run.progress.current_trial_id;
  const isRunning = trial.id === current;
  const { block, profile } = trial;
  const state = nameOfState(trial.state);
  const inBlock = isRunning ? t`block ${block}, running now` : t`block ${block}, ${state}`;
  const asProfile = isRunning ? t`profile, running now` : t`profile, ${state}`;
  const mayWrite = useHasRole('experimenter');
  return (
    <Group gap="sm" mih={30}>
      <ArmMark index={armIndex(run.arms, trial.arm)} label={armLabel(run.arms, trial.arm)} />
      <Text size="sm" c="var(--text-dim)">
        {profile ? asProfile : inBlock}
      </Text>
      {!isRunning && current && (
        <Button variant="default" size="compact-xs" onClick={onFollow}>
          {t`Follow the running trial`}
        </Button>
      )}
      {mayWrite && (
        <AddNoteButton run={run} place={{ trialId: trial.id }} label={t`Add a note on this trial`} />
      )}
      <SkipTrialButton run={run} trial={trial} />
    </Group>
  );
}

interface ChartsProps {
  run: RunDetail;
  view: View;
  trial: TrialOut;
  catalogue: readonly SeriesInfo[];
}

function Charts({ run, view, trial, catalogue }: ChartsProps) {
  // What is pinned is a moment of a trial, which the whole run has many of.
  if (view === 'run') return <OverviewCharts key={view} run={run} view={view} catalogue={catalogue} />;
  if (view === 'arms')
    return (
      <PinProvider>
        <OverviewCharts key={view} run={run} view={view} catalogue={catalogue} />
      </PinProvider>
    );
  return (
    <PinProvider more={(at) => <MomentButton {...{ trialId: trial.id, at, catalogue }} />}>
      <LiveCharts key={run.id} run={run} trial={trial} catalogue={catalogue} />
    </PinProvider>
  );
}

function NoTrial({ run }: { run: RunDetail }) {
  return (
    <Panel>
      {isOver(run) ? (
        <EmptyState title={t`No trial was run`} />
      ) : (
        <EmptyState title={t`No trial has begun yet`}>{t`Charts appear with the first readings.`}</EmptyState>
      )}
    </Panel>
  );
}

/** The run's progress, and charts of one trial or of all trials, which have their room before their first readings. */
export function TrialCharts({ run }: { run: RunDetail }) {
  const [wasOver] = useState(isOver(run));
  const catalogue = useQuery({
    ...getCatalogueOptions(),
    select: itemsOf,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const { view, chosen, go } = useView(run);
  const selected = selectedTrial(run, chosen);
  const select = (id: string) => go('trial', id === run.progress.current_trial_id ? null : id);
  return (
    <>
      <section className={classes.overview} aria-label={t`Progress`}>
        <RunProgress run={run} />
        <TrialGrid run={run} selectedId={view === 'trial' ? selected?.id : undefined} onSelect={select} />
      </section>
      {!selected && (
        <div className={classes.charts} data-live={!wasOver}>
          <NoTrial run={run} />
        </div>
      )}
      {selected && (
        <section aria-label={t`Charts`} className={classes.charts} data-live={!wasOver}>
          <Group justify="space-between" gap="sm" mb={8}>
            {view === 'trial' && <Head run={run} trial={selected} onFollow={() => go('trial', null)} />}
            <SegmentedControl
              size="xs"
              ml="auto"
              aria-label={t`View`}
              data={views()}
              value={view}
              onChange={(value) => go(value as View, value === 'trial' ? chosen : null)}
            />
          </Group>
          {catalogue.isError && (
            <ProblemNotice error={catalogue.error} retry={() => void catalogue.refetch()} />
          )}
          <RawRemovedNote removed={run.raw_removed} />
          {catalogue.data && !run.raw_removed && (
            <Charts run={run} view={view} trial={selected} catalogue={catalogue.data} />
          )}
        </section>
      )}
    </>
  );
}
