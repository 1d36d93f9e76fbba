import { t } from '@lingui/core/macro';
import { Checkbox } from '@mantine/core';
import type { RunSummary } from '@/api/generated';
import { Dim } from '@/components/ui/Dim';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable, RowLink } from '@/components/ui/table/DataTable';
import type { Sort } from '@/components/ui/table/HeadRow';
import classes from '@/components/ui/table/rows.module.css';
import { formatDuration } from '@/lib/format';
import { ImportedNote } from './ImportedNote';
import { ResultLine } from './ResultLine';
import { RevisionText } from './RevisionText';
import { RunMenu } from './RunMenu';
import { RunStates } from './RunStates';
import { StarButton } from './StarButton';
import { RunTags } from './tags/RunTags';

const FINISHED = new Set(['completed', 'failed', 'cancelled']);

/** A finished run opens at its report, any other at its live page. */
function pageOf(run: RunSummary): string {
  return run.state === 'completed' ? `/runs/${run.id}/report` : `/runs/${run.id}`;
}

function duration(run: RunSummary): string {
  if (!run.started_at || !run.finished_at) return '–';
  return formatDuration(Math.round((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000));
}

/** Chooses a run for a comparison. Only finished ones can be compared. */
function ChoiceBox({ run, selection: { chosen, toggle } }: { run: RunSummary; selection: Selection }) {
  const name = `${run.experiment_name} #${run.number}`;
  return (
    <Checkbox
      size="xs"
      mt={2}
      className={classes.aboveLink}
      aria-label={t`Compare ${name}`}
      checked={chosen.includes(run.id)}
      disabled={!FINISHED.has(run.state)}
      onChange={() => toggle(run.id)}
    />
  );
}

function RunName({ run, showExperiment }: { run: RunSummary; showExperiment: boolean }) {
  return (
    <div style={{ minWidth: showExperiment ? 112 : 0 }}>
      <RowLink to={pageOf(run)}>
        {showExperiment && `${run.experiment_name} `}#{run.number}
      </RowLink>
      <ImportedNote origin={run.imported} />
      {run.revision && (
        <Dim size="xs" truncate>
          <RevisionText of={run.revision} />
        </Dim>
      )}
      {run.note && (
        <Dim size="xs" truncate>
          {run.note}
        </Dim>
      )}
      <RunTags tags={run.tags} className={classes.aboveLink} />
    </div>
  );
}

export interface Selection {
  chosen: readonly string[];
  toggle: (runId: string) => void;
}

export type RunOrder = 'name' | 'state' | 'duration' | 'created';

interface Props {
  runs: readonly RunSummary[];
  showExperiment?: boolean;
  selection?: Selection;
  sortOf?: (order: RunOrder) => Sort;
}

const columnsOf = ({ showExperiment = false, selection, sortOf }: Props): Column<RunSummary>[] => [
  {
    name: t`Run`,
    sort: sortOf?.('name'),
    look: { maw: 240 },
    cell: (run) => (
      <div className={classes.withBox}>
        {selection && <ChoiceBox run={run} selection={selection} />}
        <StarButton run={run} className={classes.aboveLink} />
        <RunName run={run} showExperiment={showExperiment} />
      </div>
    ),
  },
  { name: t`State`, sort: sortOf?.('state'), cell: (run) => <RunStates run={run} /> },
  { name: t`Result`, look: { maw: 420 }, cell: (run) => <ResultLine run={run} /> },
  { name: t`Host`, cell: ({ hosts }) => [...new Set(hosts)].join(', ') },
  { name: t`Duration`, nowrap: true, sort: sortOf?.('duration'), cell: duration },
  {
    name: t`Created`,
    nowrap: true,
    sort: sortOf?.('created'),
    cell: (run) => (
      <span className={classes.withMenu}>
        <RelativeTime iso={run.created_at} />
        <RunMenu run={run} className={classes.aboveLink} />
      </span>
    ),
  },
];

/** Runs, newest first unless they are ordered otherwise. */
export function RunsTable(props: Props) {
  return <DataTable linked columns={columnsOf(props)} rows={props.runs} minWidth={720} />;
}
