import { Button, Group, Stack, Text } from '@mantine/core';
import { useParams } from 'react-router';
import type { RunDetail } from '@/api/generated';
import { useCatalogue } from '@/api/useCatalogue';
import { ArmMark } from '@/components/experiments/ArmMark';
import { StateBadge } from '@/components/states/StateBadge';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { Prose } from '@/components/ui/Prose';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { hostsWithSlots, isOver, isPaused } from '@/domain/runs';
import { armIndex, armLabel, latestAttempts } from '@/domain/trials';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSearchState } from '@/lib/useSearchState';
import { useRun } from './api/useRun';
import { useRunStream } from './api/useRunStream';
import { ConnectionBanner } from './ConnectionBanner';
import { LiveCharts } from './LiveCharts';
import { NotesPanel } from './NotesPanel';
import { RunActions } from './RunActions';
import classes from './RunPage.module.css';
import { RunProgress } from './RunProgress';
import { SkipTrialButton } from './SkipTrialButton';
import { TrialGrid } from './TrialGrid';

function Outcome({ run }: { run: RunDetail }) {
  if (!isOver(run)) return null;
  return (
    <Panel
      title={
        run.state === 'completed'
          ? 'Verdict'
          : `The run has ${run.state === 'failed' ? 'failed' : 'been cancelled'}`
      }
    >
      {run.state_reason && run.state !== 'completed' && <Text size="sm">{run.state_reason}</Text>}
      {run.headline ? (
        <p className={classes.headline}>
          <Prose text={run.headline} />
        </p>
      ) : (
        run.state === 'completed' && <Text c="var(--text-dim)">The analysis is on its way.</Text>
      )}
    </Panel>
  );
}

function Charts({ run }: { run: RunDetail }) {
  const catalogue = useCatalogue();
  const [chosen, choose] = useSearchState('trial');
  const trials = latestAttempts(run.trials);
  const current = run.progress.current_trial_id;
  const lastStarted = trials.filter((trial) => trial.phase_at !== null || trial.finished_at !== null).at(-1);
  const selected = trials.find((trial) => trial.id === (chosen || current)) ?? lastStarted;
  const follows = selected?.id === current;
  return (
    <>
      <section className={classes.overview} aria-label="Progress">
        <RunProgress run={run} />
        <TrialGrid
          run={run}
          selectedId={selected?.id}
          onSelect={(id) => choose(id === current ? null : id)}
        />
      </section>
      {!selected && (
        <Panel>
          {isOver(run) ? (
            <EmptyState title="No trial was run" />
          ) : (
            <EmptyState title="No trial has begun yet">Charts appear with the first readings.</EmptyState>
          )}
        </Panel>
      )}
      {selected && (
        <section aria-label="Charts">
          <Group gap="sm" mb={8} mih={30}>
            <ArmMark index={armIndex(run.arms, selected.arm)} label={armLabel(run.arms, selected.arm)} />
            <Text size="sm" c="var(--text-dim)">
              block {selected.block}, {follows ? 'running now' : selected.state}
            </Text>
            {!follows && current && (
              <Button variant="default" size="compact-xs" onClick={() => choose(null)}>
                Follow the running trial
              </Button>
            )}
            <SkipTrialButton run={run} trial={selected} />
          </Group>
          {catalogue.isError && (
            <ProblemNotice error={catalogue.error} retry={() => void catalogue.refetch()} />
          )}
          {catalogue.data && <LiveCharts run={run} trial={selected} catalogue={catalogue.data} />}
        </section>
      )}
    </>
  );
}

export default function RunPage() {
  const { runId = '' } = useParams();
  const query = useRun(runId);
  const connection = useRunStream(runId, query.data !== undefined && !isOver(query.data));
  const { data } = query;
  usePageTitle(data ? `${data.experiment_name} #${data.number}: ${data.state}` : 'Run');
  return (
    <QueryView query={query} skeleton={[48, 120, 420]}>
      {(run) => (
        <>
          <PageHeader
            title={`${run.experiment_name} #${run.number}`}
            crumbs={[
              { label: 'Experiments', to: '/experiments' },
              { label: run.experiment_name, to: `/experiments/${run.experiment_id}` },
            ]}
            aside={<StateBadge state={isPaused(run) ? 'paused' : run.state} />}
            meta={
              <>
                <span>on {hostsWithSlots(run.run_hosts)}</span>
                <span>seed {run.seed}</span>
                <span>
                  {run.started_at ? 'started' : 'queued'}{' '}
                  <RelativeTime iso={run.started_at ?? run.created_at} /> by {run.created_by}
                </span>
                {run.note && <span>“{run.note}”</span>}
              </>
            }
            actions={<RunActions run={run} />}
          />
          <ConnectionBanner state={connection} />
          <Stack gap="md">
            <Outcome run={run} />
            <Charts run={run} />
            <NotesPanel run={run} />
          </Stack>
        </>
      )}
    </QueryView>
  );
}
