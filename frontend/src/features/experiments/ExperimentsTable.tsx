import { Table } from '@mantine/core';
import { Link } from 'react-router';
import type { ExperimentSummary } from '@/api/generated';
import { ResultLine } from '@/components/runs/ResultLine';
import { StateBadge } from '@/components/states/StateBadge';
import { RelativeTime } from '@/components/ui/Time';
import shared from '@/components/ui/table/rows.module.css';
import { useRunsByExperiment } from './api/useRunsByExperiment';

/** Experiments, each with its newest run. */
export function ExperimentsTable({ experiments }: { experiments: readonly ExperimentSummary[] }) {
  const runs = useRunsByExperiment(experiments.map(({ id }) => id)).data;
  return (
    <Table.ScrollContainer minWidth={760} type="native">
      <Table>
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Name</Table.Th>
            <Table.Th>Template</Table.Th>
            <Table.Th>Last run</Table.Th>
            <Table.Th>Result</Table.Th>
            <Table.Th>By</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {experiments.map((experiment) => {
            const last = runs?.get(experiment.id)?.last_run;
            return (
              <Table.Tr key={experiment.id} className={shared.linkedRow}>
                <Table.Td maw={260}>
                  <Link to={`/experiments/${experiment.id}`} className={shared.rowLink}>
                    {experiment.name}
                  </Link>
                </Table.Td>
                <Table.Td c="var(--text-dim)">{experiment.template_key ?? 'own'}</Table.Td>
                <Table.Td style={{ whiteSpace: 'nowrap' }}>
                  {last ? (
                    <>
                      <StateBadge state={last.state} />
                      <br />
                      <small style={{ color: 'var(--text-dim)' }}>
                        #{last.number}, <RelativeTime iso={last.created_at} />
                      </small>
                    </>
                  ) : (
                    <span style={{ color: 'var(--text-dim)' }}>{runs ? 'never run' : '…'}</span>
                  )}
                </Table.Td>
                <Table.Td maw={420}>
                  <ResultLine text={last?.headline ?? last?.state_reason ?? '–'} />
                </Table.Td>
                <Table.Td c="var(--text-dim)">{experiment.created_by}</Table.Td>
              </Table.Tr>
            );
          })}
        </Table.Tbody>
      </Table>
    </Table.ScrollContainer>
  );
}
