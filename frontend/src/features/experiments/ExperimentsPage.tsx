import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useHasRole } from '@/api/useMe';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Found } from '@/components/ui/table/Found';
import { Pages } from '@/components/ui/table/Pages';
import { useSearchState } from '@/lib/address/useSearchState';
import { usePageTitle } from '@/lib/usePageTitle';
import { PAGE_SIZE, useExperiments } from './api/useExperiments';
import { ExperimentsTable } from './ExperimentsTable';

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
  const experiments = useExperiments({ search, archived, page });
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
