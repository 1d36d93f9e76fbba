import { t } from '@lingui/core/macro';
import { Table } from '@mantine/core';
import { Link } from 'react-router';
import type { ExperimentRuns, ExperimentSummary, RunSummary } from '@/api/generated';
import { ResultLine } from '@/components/runs/ResultLine';
import { RunStates } from '@/components/runs/RunStates';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import shared from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { useRunsByExperiment } from './api/useRunsByExperiment';

function LastRun({ run }: { run: RunSummary | undefined }) {
  if (!run) return <span style={{ color: 'var(--text-dim)' }}>{t`never run`}</span>;
  return (
    <>
      <RunStates run={run} />
      <small style={{ color: 'var(--text-dim)' }}>
        #{run.number}, <RelativeTime iso={run.created_at} />
      </small>
    </>
  );
}

interface RowProps {
  experiment: ExperimentSummary;
  /** Its runs in short; undefined if it has none. */
  runs: ExperimentRuns | undefined;
  isLoading: boolean;
}

function ExperimentRow({ experiment, runs, isLoading }: RowProps) {
  const last = runs?.last_run;
  return (
    <Table.Tr className={shared.linkedRow}>
      <Table.Td maw={260}>
        <Link to={`/experiments/${experiment.id}`} className={shared.rowLink}>
          {experiment.name}
        </Link>
      </Table.Td>
      <Table.Td c="var(--text-dim)">{experiment.template_key ?? t`none`}</Table.Td>
      <Table.Td style={{ whiteSpace: 'nowrap' }}>{isLoading ? '…' : <LastRun run={last} />}</Table.Td>
      <Table.Td maw={420}>{last ? <ResultLine run={last} /> : '–'} </Table.Td>
      <Table.Td c="var(--text-dim)">{experiment.created_by}</Table.Td>
    </Table.Tr>
  );
}

/** Experiments, each with its newest run. */
export function ExperimentsTable({ experiments }: { experiments: readonly ExperimentSummary[] }) {
  const runs = useRunsByExperiment(experiments.map(({ id }) => id));
  return (
    <WideTable minWidth={760}>
      <Table>
        <HeadRow columns={[t`Name`, t`Template`, t`Last run`, t`Result`, t`By`]} />
        <Table.Tbody>
          {experiments.map((experiment) => (
            <ExperimentRow
              key={experiment.id}
              experiment={experiment}
              runs={runs.data?.get(experiment.id)}
              isLoading={runs.isPending}
            />
          ))}
        </Table.Tbody>
      </Table>
    </WideTable>
  );
}
