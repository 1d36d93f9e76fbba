import { t } from '@lingui/core/macro';
import { Checkbox, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { RunSummary } from '@/api/generated';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow, type Sort } from '@/components/ui/table/HeadRow';
import classes from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { formatDuration } from '@/lib/format';
import { ImportedNote } from './ImportedNote';
import { ResultLine } from './ResultLine';
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

interface RowProps {
  run: RunSummary;
  showExperiment: boolean;
  selection?: Selection;
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

function RunName({ run, showExperiment }: Omit<RowProps, 'selection'>) {
  return (
    <div style={{ minWidth: showExperiment ? 112 : 0 }}>
      <Link to={pageOf(run)} className={classes.rowLink}>
        {showExperiment && `${run.experiment_name} `}#{run.number}
      </Link>
      <ImportedNote origin={run.imported} />
      {run.note && (
        <Text size="xs" c="var(--text-dim)" truncate>
          {run.note}
        </Text>
      )}
      <RunTags tags={run.tags} className={classes.aboveLink} />
    </div>
  );
}

function RunRow({ run, showExperiment, selection }: RowProps) {
  return (
    <Table.Tr className={classes.linkedRow}>
      <Table.Td maw={240}>
        <div className={classes.withBox}>
          {selection && <ChoiceBox run={run} selection={selection} />}
          <StarButton run={run} className={classes.aboveLink} />
          <RunName run={run} showExperiment={showExperiment} />
        </div>
      </Table.Td>
      <Table.Td>
        <RunStates run={run} />
      </Table.Td>
      <Table.Td maw={420}>
        <ResultLine run={run} />
      </Table.Td>
      <Table.Td>{[...new Set(run.hosts)].join(', ')}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{duration(run)}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <span className={classes.withMenu}>
          <RelativeTime iso={run.created_at} />
          <RunMenu run={run} className={classes.aboveLink} />
        </span>
      </Table.Td>
    </Table.Tr>
  );
}

export interface Selection {
  chosen: readonly string[];
  toggle: (runId: string) => void;
}

/** Columns by which runs can be ordered. */
export type RunOrder = 'name' | 'state' | 'duration' | 'created';

interface Props {
  runs: readonly RunSummary[];
  /** Where they belong to several. */
  showExperiment?: boolean;
  selection?: Selection;
  sortOf?: (order: RunOrder) => Sort;
}

const columnsOf = (sortOf: Props['sortOf']) => [
  { name: t`Run`, sort: sortOf?.('name') },
  { name: t`State`, sort: sortOf?.('state') },
  t`Result`,
  t`Host`,
  { name: t`Duration`, sort: sortOf?.('duration') },
  { name: t`Created`, sort: sortOf?.('created') },
];

/** Runs, newest first unless they are ordered otherwise. */
export function RunsTable({ runs, showExperiment = false, selection, sortOf }: Props) {
  return (
    <WideTable minWidth={720}>
      <Table>
        <HeadRow columns={columnsOf(sortOf)} />
        <Table.Tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} showExperiment={showExperiment} selection={selection} />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
