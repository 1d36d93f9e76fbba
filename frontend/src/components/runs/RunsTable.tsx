import { Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { RunSummary } from '@/api/generated';
import { PassBadge } from '@/components/states/PassBadge';
import { StateBadge } from '@/components/states/StateBadge';
import { RelativeTime } from '@/components/ui/Time';
import classes from '@/components/ui/table/rows.module.css';
import { formatDuration } from '@/lib/format';
import { ResultLine } from './ResultLine';

const FINISHED = new Set(['completed', 'failed', 'cancelled']);

/** A finished run opens at its report, any other at its live page. */
function pageOf(run: RunSummary): string {
  return run.state === 'completed' ? `/runs/${run.id}/report` : `/runs/${run.id}`;
}

function duration(run: RunSummary): string {
  if (!run.started_at || !run.finished_at) return '–';
  return formatDuration(Math.round((Date.parse(run.finished_at) - Date.parse(run.started_at)) / 1000));
}

/** Runs, newest first. `showExperiment` where they belong to several. */
export function RunsTable({
  runs,
  showExperiment = false,
}: {
  runs: readonly RunSummary[];
  showExperiment?: boolean;
}) {
  return (
    <Table.ScrollContainer minWidth={680} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Run</Table.Th>
            <Table.Th>State</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th>Host</Table.Th>
            <Table.Th>Took</Table.Th>
            <Table.Th>When</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {runs.map((run) => (
            <Table.Tr key={run.id} className={classes.linkedRow}>
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
                <StateBadge state={run.state} />
                {run.passed !== null && (
                  <div>
                    <PassBadge passed={run.passed} what="thresholds" />
                  </div>
                )}
              </Table.Td>
              <Table.Td maw={420}>
                <ResultLine
                  text={run.headline ?? (FINISHED.has(run.state) ? (run.state_reason ?? '–') : '–')}
                />
              </Table.Td>
              <Table.Td>{[...new Set(run.hosts)].join(', ')}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>{duration(run)}</Table.Td>
              <Table.Td style={{ whiteSpace: 'nowrap' }}>
                <RelativeTime iso={run.created_at} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
