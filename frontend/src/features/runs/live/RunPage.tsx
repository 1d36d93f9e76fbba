import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Skeleton, Stack, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { memo, useEffect, useState } from 'react';
import { useParams } from 'react-router';
import { itemsOf } from '@/api/client';
import { listNotesOptions, type RunDetail, type TrialOut } from '@/api/generated';
import { reportQuery, useReport } from '@/api/runs';
import { useHasRole } from '@/api/session';
import { RunNoteList } from '@/components/notes/NoteList';
import { AddNoteButton } from '@/components/notes/openNote';
import { ImportedNote } from '@/components/runs/ImportedNote';
import { RevisionText } from '@/components/runs/RevisionText';
import { StarButton } from '@/components/runs/StarButton';
import { StateBadge } from '@/components/runs/StateBadge';
import { TagEditor } from '@/components/runs/tags/TagEditor';
import { ServerText } from '@/components/ui/language/ServerText';
import { lazyPart } from '@/components/ui/lazyPart';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Term } from '@/components/ui/Term';
import { RelativeTime } from '@/components/ui/Time';
import { Answers } from '@/components/verdict/Answers';
import { MainChart } from '@/components/verdict/MainChart';
import { PrimaryMatrix } from '@/components/verdict/PrimaryMatrix';
import { hostsWithSlots, isOver, isPaused } from '@/domain/runs';
import { nameOfState } from '@/domain/states';
import { armLabel, placeOf } from '@/domain/trials';
import { formatBytes } from '@/lib/format';
import type { Said } from '@/lib/language/serverText';
import type { StreamState } from '@/lib/sse';
import { usePageTitle } from '@/lib/usePageTitle';
import notesClasses from './AgentNotesPanel.module.css';
import { TrialCharts } from './charts/TrialCharts';
import { AskedPanel, RunActions } from './RunActions';
import classes from './RunPage.module.css';
import { SoFar } from './SoFar';
import { sameButForTime, useRun } from './useRun';
import { type AgentNote, useAgentNotes, useRunStream } from './useRunStream';

const CurvePanel = lazyPart(() => import('./CurvePanel').then((part) => part.CurvePanel));
const SearchPanel = lazyPart(() => import('./SearchPanel').then((part) => part.SearchPanel));

/** The answers of the report; the headline where there are none, as with a single arm. */
function Verdict({ runId, headline }: { runId: string; headline: Said }) {
  const { data, isPending, failureReason } = useReport(runId);
  if (isPending)
    return <Skeleton height={72} aria-busy={failureReason === null} aria-label={t`Loading the verdict`} />;
  const analysis = data?.analysis;
  if (!analysis?.answers?.length)
    return (
      <p className={classes.headline}>
        <ServerText text={headline} />
      </p>
    );
  return (
    <>
      {analysis.not_valid && (
        <p className={classes.headline}>
          <ServerText text={analysis.not_valid} />
        </p>
      )}
      <Answers analysis={analysis} />
      <Text size="sm" c="var(--text-dim)" mt="xs">
        <ServerText text={analysis.qualification} />
      </Text>
      <MainChart analysis={analysis} />
      <PrimaryMatrix analysis={analysis} />
    </>
  );
}

function titleOf({ state }: RunDetail): string {
  if (state === 'completed') return t`Verdict`;
  return state === 'failed' ? t`The run has failed` : t`The run has been cancelled`;
}

/** The outcome of a run that is over. */
function Outcome({ run }: { run: RunDetail }) {
  return (
    <Panel title={titleOf(run)}>
      {run.state_reason && run.state !== 'completed' && (
        <Text size="sm">
          <ServerText text={run.state_reason} />
        </Text>
      )}
      {run.headline ? (
        <Verdict runId={run.id} headline={run.headline} />
      ) : (
        run.state === 'completed' && <Text c="var(--text-dim)">{t`The analysis is still running.`}</Text>
      )}
    </Panel>
  );
}

const RunNotes = memo(function RunNotes({ run }: { run: RunDetail }) {
  const notes = useQuery({ ...listNotesOptions({ path: { run_id: run.id } }), select: itemsOf });
  const mayWrite = useHasRole('experimenter');
  return (
    <QueryView query={notes} skeleton={[96]}>
      {(all) => (
        <Panel title={t`Notes`} actions={mayWrite && <AddNoteButton run={run} />}>
          <RunNoteList run={run} notes={all} mayWrite={mayWrite} />
        </Panel>
      )}
    </QueryView>
  );
}, sameButForTime);

const severities = (): Record<AgentNote['severity'], string> => ({
  info: t({ message: 'info', context: 'severity' }),
  warning: t`warning`,
  error: t`error`,
});

function armAndPlace(trial: TrialOut, { arms }: RunDetail): string {
  const name = armLabel(arms, trial.arm);
  const place = placeOf(trial);
  return t`${name}, ${place}`;
}

/** What the agents reported besides figures: degraded measurements, failing collectors, warnings of nginx. */
function AgentNotesPanel({ run }: { run: RunDetail }) {
  const { data: notes = [] } = useAgentNotes(run.id);
  if (notes.length === 0) return null;
  const trials = new Map(run.trials.map((trial) => [trial.id, trial]));
  return (
    <Panel title={t`Notes of the agents`} note={t`Newest first.`}>
      <ol className={notesClasses.notes} reversed>
        {notes.toReversed().map((note) => {
          const trial = trials.get(note.trial_id);
          return (
            <li key={`${note.trial_id} ${note.code} ${note.message}`} data-severity={note.severity}>
              <b>{severities()[note.severity]}</b>
              <span>{trial && armAndPlace(trial, run)}</span>
              <ServerText text={note.message} />
              <code>{note.code}</code>
            </li>
          );
        })}
      </ol>
    </Panel>
  );
}

const PATIENCE_MS = 1500;

/** Says that the page is behind, above what stands there, which it moves not; a hiccup shorter than a second and a half is not worth a word. */
function ConnectionBanner({ state }: { state: StreamState | 'over' }) {
  const lost = state === 'lost';
  const [shown, setShown] = useState(false);
  useEffect(() => {
    if (!lost) return setShown(false);
    const timer = setTimeout(() => setShown(true), PATIENCE_MS);
    return () => clearTimeout(timer);
  }, [lost]);
  if (!shown) return null;
  return (
    <div className={classes.lost}>
      <Alert
        role="status"
        variant="light"
        color="yellow"
        icon={<IconPlugConnectedX size={16} />}
        title={t`Connection lost`}
      >
        <Trans>The run continues. This page reconnects automatically and then loads what it missed.</Trans>
      </Alert>
    </div>
  );
}

function Begun({ run: { started_at, created_at, created_by: person } }: { run: RunDetail }) {
  const since = <RelativeTime iso={started_at ?? created_at} />;
  return (
    <span>
      {started_at ? (
        <Trans>
          started {since} by {person}
        </Trans>
      ) : (
        <Trans>
          queued {since} by {person}
        </Trans>
      )}
    </span>
  );
}

const Meta = memo(function Meta({ run }: { run: RunDetail }) {
  const { seed } = run;
  const { blocks } = run.plan;
  const hosts = hostsWithSlots(run.run_hosts);
  const size = formatBytes(run.raw_bytes);
  return (
    <>
      <span>{t`on ${hosts}`}</span>
      <Term
        help={t`A block is each arm once, in random order. The seed ${seed} makes that order: the same seed gives the same one.`}
      >
        {plural(blocks, { one: '# block', other: '# blocks' })}
      </Term>
      <Begun run={run} />
      {isOver(run) && run.raw_bytes !== null && run.raw_bytes > 0 && <span>{t`raw data ${size}`}</span>}
      <RevisionText of={run.revision} />
      {run.note && <span>“{run.note}”</span>}
    </>
  );
}, sameButForTime);

const Aside = memo(function Aside({ run }: { run: RunDetail }) {
  return (
    <>
      <StateBadge state={isPaused(run) ? 'paused' : run.state} />
      <ImportedNote origin={run.imported} />
      <StarButton run={run} />
      <TagEditor run={run} />
    </>
  );
}, sameButForTime);

/** Whether a run that has ended under its reader has all of its outcome here: the page then changes once. */
function useIsJudged(run: RunDetail): boolean {
  const report = useQuery({ ...reportQuery(run.id), enabled: isOver(run) && run.headline !== null });
  return run.headline === null ? run.state !== 'completed' : !report.isPending;
}

/** Below the head. The charts of a run that ends under its reader stay in sight while its verdict is loaded. */
function Parts({ run }: { run: RunDetail }) {
  const [wasOver] = useState(isOver(run));
  const isJudged = useIsJudged(run);
  const isEnded = isOver(run) && (wasOver || isJudged);
  return (
    <Stack gap="md" className={wasOver ? 'in-order' : undefined}>
      {isEnded ? <Outcome run={run} /> : <SoFar run={run} />}
      {run.plan.searches && !isEnded && <SearchPanel run={run} />}
      {run.plan.draws_curve && !isEnded && <CurvePanel run={run} />}
      <TrialCharts run={run} />
      <RunNotes run={run} />
      <AgentNotesPanel run={run} />
    </Stack>
  );
}

export default function RunPage() {
  const { runId = '' } = useParams();
  const query = useRun(runId);
  const connection = useRunStream(runId, query.data !== undefined && !isOver(query.data));
  const { data } = query;
  usePageTitle(data ? `${data.experiment_name} #${data.number}: ${nameOfState(data.state)}` : t`Run`);
  return (
    <QueryView query={query} skeleton={[48, 120, 420]} wayOut={{ label: t`All runs`, to: '/runs' }}>
      {(run) => (
        <>
          <PageHeader
            title={`${run.experiment_name} #${run.number}`}
            crumbs={[
              { label: t`Experiments`, to: '/experiments' },
              { label: run.experiment_name, to: `/experiments/${run.experiment_id}` },
            ]}
            aside={<Aside run={run} />}
            meta={<Meta run={run} />}
            actions={<RunActions run={run} />}
          />
          <ConnectionBanner state={connection} />
          <AskedPanel run={run} />
          <Parts run={run} />
        </>
      )}
    </QueryView>
  );
}
