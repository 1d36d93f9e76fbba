import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Stack } from '@mantine/core';
import { memo } from 'react';
import { useParams } from 'react-router';
import type { RunDetail } from '@/api/generated';
import { ImportedNote } from '@/components/runs/ImportedNote';
import { StarButton } from '@/components/runs/StarButton';
import { TagEditor } from '@/components/runs/tags/TagEditor';
import { StateBadge } from '@/components/states/StateBadge';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { hostsWithSlots, isOver, isPaused } from '@/domain/runs';
import { nameOfState } from '@/domain/states';
import { formatBytes } from '@/lib/format';
import { usePageTitle } from '@/lib/usePageTitle';
import { AgentNotesPanel } from './AgentNotesPanel';
import { useRun } from './api/useRun';
import { useRunStream } from './api/useRunStream';
import { ConnectionBanner } from './ConnectionBanner';
import { TrialCharts } from './charts/TrialCharts';
import { Outcome } from './Outcome';
import { RunActions } from './RunActions';
import { RunNotes } from './RunNotes';
import { sameButForTime } from './sameButForTime';
import { SoFar } from './soFar/SoFar';

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
  const hosts = hostsWithSlots(run.run_hosts);
  const size = formatBytes(run.raw_bytes);
  return (
    <>
      <span>{t`on ${hosts}`}</span>
      <span>{t`seed ${seed}`}</span>
      <Begun run={run} />
      {run.raw_bytes !== null && run.raw_bytes > 0 && <span>{t`raw data ${size}`}</span>}
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
          <Stack gap="md">
            <Outcome run={run} />
            <SoFar run={run} />
            <TrialCharts run={run} />
            <RunNotes run={run} />
            <AgentNotesPanel run={run} />
          </Stack>
        </>
      )}
    </QueryView>
  );
}
