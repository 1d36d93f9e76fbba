import { Button, Group, Pagination, SegmentedControl, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { IconPlus, IconSearch } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useHasRole } from '@/api/useMe';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSearchState } from '@/lib/useSearchState';
import { PAGE_SIZE, useExperiments } from './api/useExperiments';
import { ExperimentsTable } from './ExperimentsTable';

function NewButton() {
  return useHasRole('experimenter') ? (
    <Button component={Link} to="/experiments/new" leftSection={<IconPlus size={14} />}>
      New experiment
    </Button>
  ) : null;
}

export default function ExperimentsPage() {
  usePageTitle('Experiments');
  const [search, setSearch] = useSearchState('q');
  const [shown, setShown] = useSearchState('show', 'active');
  const [page, setPage] = useSearchState('page', '1');
  const searchSoon = useDebouncedCallback((text: string) => setSearch(text), 250);
  const experiments = useExperiments({ search, archived: shown === 'archived', page: Number(page) || 1 });

  return (
    <>
      <PageHeader title="Experiments" actions={<NewButton />} />
      <Group gap="sm" mb="md">
        <TextInput
          type="search"
          aria-label="Search experiments"
          placeholder="Search by name"
          leftSection={<IconSearch size={14} />}
          defaultValue={search}
          onChange={(event) => searchSoon(event.currentTarget.value)}
          w={280}
        />
        <SegmentedControl
          size="xs"
          aria-label="Which experiments"
          value={shown}
          onChange={setShown}
          data={[
            { value: 'active', label: 'Active' },
            { value: 'archived', label: 'Archived' },
          ]}
        />
      </Group>
      <QueryView query={experiments} skeleton={[320]}>
        {({ items, total }) =>
          items.length === 0 ? (
            <Panel>
              {search || shown === 'archived' ? (
                <EmptyState title="Nothing found">
                  No experiment matches. Try another name or the other list.
                </EmptyState>
              ) : (
                <EmptyState title="No experiments yet" action={<NewButton />}>
                  Start from a template: it brings the configuration, the load and the plan of a published
                  experiment, and says what it can show.
                </EmptyState>
              )}
            </Panel>
          ) : (
            <Panel flush>
              <ExperimentsTable experiments={items} />
              {total > PAGE_SIZE && (
                <Group justify="center" p="sm">
                  <Pagination
                    size="sm"
                    total={Math.ceil(total / PAGE_SIZE)}
                    value={Number(page) || 1}
                    onChange={(next) => setPage(String(next))}
                  />
                </Group>
              )}
            </Panel>
          )
        }
      </QueryView>
    </>
  );
}
