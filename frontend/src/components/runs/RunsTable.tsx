import { Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { RunSummary } from '@/api/generated';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import classes from '@/components/ui/table/rows.module.css';
import { formatDuration } from '@/lib/format';
import { ResultLine } from './ResultLine';
import { RunStates } from './RunStates';

const FINISHED = new Set(['completed', 'failed', 'cancelled']);

/** A finished run opens at its report, any other at its live page. */
function pageOf(run: RunSummary): string {
  return run.state === 'completed' ? `/runs/${run.id}/report` : `/runs/${run.id}`;
}

function resultOf(run: RunSummary): string {
  return run.headline ?? (FINISHED.has(run.state) ? run.state_reason : null) ?? '–';
}

function duration(run: RunSummary): string {
  if (!run.started_at || !run.finished_at) return '–';
  return formatDuration(Math.round((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000));
}

function RunRow({ run, showExperiment }: { run: RunSummary; showExperiment: boolean }) {
  return (
    <Table.Tr className={classes.linkedRow}>
      <Table.Td maw={220}>
        <Link to={pageOf(run)} className={classes.rowLink}>
          {showExperiment && `${run.experiment_name} `}#{run.number}
        </Link>
        {run.note && (
          <Text size="xs" c="var(--text-dim)" truncate>
            {run.note}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <RunStates run={run} />
      </Table.Td>
      <Table.Td maw={420}>
        <ResultLine text={resultOf(run)} />
      </Table.Td>
      <Table.Td>{[...new Set(run.hosts)].join(', ')}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{duration(run)}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>
        <RelativeTime iso={run.created_at} />
      </Table.Td>
    </Table.Tr>
  );
}

interface Props {
  runs: readonly RunSummary[];
  /** Where they belong to several. */
  showExperiment?: boolean;
}

/** Runs, newest first. */
export function RunsTable({ runs, showExperiment = false }: Props) {
  return (
    <Table.ScrollContainer minWidth={680} type="native">
      <Table>
        <HeadRow columns={['Run', 'State', 'Result', 'Host', 'Duration', 'Created']} />
        <Table.Tbody>
          {runs.map((run) => (
            <RunRow key={run.id} run={run} showExperiment={showExperiment} />
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
