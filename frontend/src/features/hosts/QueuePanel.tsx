import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { Link } from 'react-router';
import type { RunSummary } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { RelativeTime } from '@/components/ui/Time';
import shared from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { useQueuedRuns } from './api/useQueuedRuns';

function Row({ run }: { run: RunSummary }) {
  return (
    <Table.Tr className={shared.linkedRow}>
      <Table.Td>
        <Link to={`/runs/${run.id}`} className={shared.rowLink}>
          {run.experiment_name} #{run.number}
        </Link>
      </Table.Td>
      <Table.Td>{[...new Set(run.hosts)].join(', ')}</Table.Td>
      <Table.Td c="var(--text-dim)">
        {run.state_reason ? <ServerText text={run.state_reason} /> : t`Waiting.`}
      </Table.Td>
      <Table.Td>
        <RelativeTime iso={run.created_at} />
      </Table.Td>
      <Table.Td c="var(--text-dim)">{run.created_by}</Table.Td>
    </Table.Tr>
  );
}

/** Runs that wait for their hosts, in the order in which they were asked for, and why. */
export function QueuePanel() {
  const { data: runs = [] } = useQueuedRuns();
  if (runs.length === 0) return null;
  return (
    <Panel
      title={t`Queue`}
      flush
      note={t`A host executes one run at a time. The oldest run that can start goes first.`}
    >
      <WideTable minWidth={640}>
        <Table verticalSpacing={5}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t`Run`}</Table.Th>
              <Table.Th>{t`Hosts`}</Table.Th>
              <Table.Th>{t`Waiting for`}</Table.Th>
              <Table.Th>{t`Since`}</Table.Th>
              <Table.Th>{t`By`}</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {runs.map((run) => (
              <Row key={run.id} run={run} />
            ))}
          </Table.Tbody>
        </Table>
      </WideTable>
    </Panel>
  );
}
