import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, SegmentedControl, Table, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import {
  type ExperimentRuns,
  type ExperimentSummary,
  listExperimentsOptions,
  type RunSummary,
} from '@/api/generated';
import { useHasRole } from '@/api/session';
import { ResultLine } from '@/components/runs/ResultLine';
import { RunStates } from '@/components/runs/RunStates';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { RelativeTime } from '@/components/ui/Time';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { Found, Pages } from '@/components/ui/table/Pages';
import shared from '@/components/ui/table/rows.module.css';
import { WideTable } from '@/components/ui/table/WideTable';
import { useSearchState } from '@/lib/useAddress';
import { usePageTitle } from '@/lib/usePageTitle';
import { useRunsByExperiment } from './api';

const PAGE_SIZE = 50;

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
function ExperimentsTable({ experiments }: { experiments: readonly ExperimentSummary[] }) {
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

function NewButton() {
  return useHasRole('experimenter') ? (
    <Button component={Link} to="/experiments/new" leftSection={<IconPlus size={14} />}>
      <Trans>New experiment</Trans>
    </Button>
  ) : null;
}

/** The list that is shown lives in the address, so that it can be passed on. */
function useFilter() {
  const [search, setSearch] = useSearchState('q');
  const [shown, setShown] = useSearchState('show', 'active');
  const [address, setAddress] = useSearchState('page', '1');
  const setPage = (next: number) => setAddress(String(next));
  return { search, setSearch, shown, setShown, page: Number(address) || 1, setPage };
}

function FilterBar({ search, setSearch, shown, setShown }: ReturnType<typeof useFilter>) {
  const searchSoon = useDebouncedCallback((text: string) => setSearch(text), 250);
  return (
    <Group gap="sm" mb="md">
      <TextInput
        type="search"
        aria-label={t`Search experiments`}
        placeholder={t`Search by name`}
        leftSection={<IconSearch size={14} />}
        defaultValue={search}
        onChange={(event) => searchSoon(event.currentTarget.value)}
        w={280}
      />
      <SegmentedControl
        size="xs"
        aria-label={t`Which experiments`}
        value={shown}
        onChange={setShown}
        data={[
          { value: 'active', label: t`Active` },
          { value: 'archived', label: t`Archived` },
        ]}
      />
    </Group>
  );
}

function NoExperiments({ isFiltered }: { isFiltered: boolean }) {
  return isFiltered ? (
    <EmptyState title={t`No matches`}>
      <Trans>No experiment matches this search. Try another name or the other list.</Trans>
    </EmptyState>
  ) : (
    <EmptyState title={t`No experiments yet`} action={<NewButton />}>
      <Trans>
        Start from a template: it contains the configuration, the streams and the plan of a published
        experiment, and states what it can show.
      </Trans>
    </EmptyState>
  );
}

export default function ExperimentsPage() {
  usePageTitle(t`Experiments`);
  const filter = useFilter();
  const { search, page } = filter;
  const archived = filter.shown === 'archived';
  const query = { search, archived, limit: PAGE_SIZE, start: (page - 1) * PAGE_SIZE };
  const experiments = useQuery({
    ...listExperimentsOptions({ query }),
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
  return (
    <>
      <PageHeader title={t`Experiments`} actions={<NewButton />} />
      <FilterBar {...filter} />
      <Found
        text={
          experiments.data && plural(experiments.data.total, { one: '# experiment', other: '# experiments' })
        }
      />
      <QueryView query={experiments} skeleton={[320]}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Panel>
              <NoExperiments isFiltered={search !== '' || archived} />
            </Panel>
          ) : (
            <Panel flush>
              <ExperimentsTable experiments={items} />
              <Pages total={total} size={PAGE_SIZE} page={page} onPage={filter.setPage} />
            </Panel>
          )
        }
      </QueryView>
    </>
  );
}
