import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, SegmentedControl, Skeleton, Text } from '@mantine/core';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from 'react-router';
import { type ExperimentSummary, listExperimentsOptions, type RunSummary } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { ofTeam } from '@/components/access/teams';
import { RecipeGallery } from '@/components/recipes/RecipeGallery';
import { ResultLine } from '@/components/runs/ResultLine';
import { RunStates } from '@/components/runs/RunStates';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { SearchField } from '@/components/ui/SearchField';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable, RowLink } from '@/components/ui/table/DataTable';
import { Found, Pages } from '@/components/ui/table/Pages';
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

const dim = { c: 'var(--text-dim)' };

function columnsOf({
  data,
  isPlaceholderData,
}: ReturnType<typeof useRunsByExperiment>): Column<ExperimentSummary>[] {
  const lastOf = ({ id }: ExperimentSummary) => data?.get(id)?.last_run;
  return [
    {
      name: t`Name`,
      look: { maw: 260 },
      cell: ({ id, name }) => <RowLink to={`/experiments/${id}`}>{name}</RowLink>,
    },
    { name: t`Template`, look: dim, cell: ({ template_key }) => template_key ?? t`none` },
    {
      name: t`Last run`,
      nowrap: true,
      cell: (experiment) =>
        isPlaceholderData && !data?.has(experiment.id) ? '…' : <LastRun run={lastOf(experiment)} />,
    },
    {
      name: t`Result`,
      look: { maw: 420 },
      cell: (experiment) => {
        const last = lastOf(experiment);
        return last ? <ResultLine run={last} /> : '–';
      },
    },
    {
      name: t`By`,
      look: dim,
      cell: ({ created_by, team }) => (team ? `${created_by}, ${ofTeam(team)}` : created_by),
    },
  ];
}

/** Experiments, each with its newest run. */
function ExperimentsTable({ experiments }: { experiments: readonly ExperimentSummary[] }) {
  const runs = useRunsByExperiment(experiments.map(({ id }) => id));
  if (runs.isLoading)
    return <Skeleton height={320} role="progressbar" aria-busy="true" aria-label={t`Loading`} />;
  return <DataTable linked columns={columnsOf(runs)} rows={experiments} minWidth={760} />;
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
  return (
    <Group gap="sm" mb="md">
      <SearchField
        aria-label={t`Search experiments`}
        placeholder={t`Search by name`}
        leftSection={<IconSearch size={14} />}
        value={search}
        onSearch={setSearch}
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
    <Panel>
      <EmptyState title={t`No matches`}>
        <Trans>No experiment matches this search. Try another name or the other list.</Trans>
      </EmptyState>
    </Panel>
  ) : (
    <>
      <Text size="sm" mb="md">
        <Anchor component={Link} to="/sample" inherit>
          <Trans>See what a report looks like: a sample</Trans>
        </Anchor>
        {' · '}
        <Anchor component={Link} to="/experiments/new/own" inherit>
          <Trans>Compare two configurations of your own</Trans>
        </Anchor>
      </Text>
      <RecipeGallery />
    </>
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
            <NoExperiments isFiltered={search !== '' || archived} />
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
