import { Button, Group, Pagination } from '@mantine/core';
import { Link } from 'react-router';
import { RunsTable } from '@/components/runs/RunsTable';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSearchState } from '@/lib/useSearchState';
import { PAGE_SIZE, useRuns } from './api/useRuns';

export default function RunsPage() {
  usePageTitle('Runs');
  const [page, setPage] = useSearchState('page', '1');
  const runs = useRuns(Number(page) || 1);
  return (
    <>
      <PageHeader title="Runs" meta="Of all experiments, newest first." />
      <QueryView query={runs} skeleton={[320]}>
        {({ items, total }) =>
          total === 0 ? (
            <Panel>
              <EmptyState
                title="Nothing has been run yet"
                action={
                  <Button component={Link} to="/experiments/new">
                    New experiment
                  </Button>
                }
              >
                Choose a template, adjust it, and run it on a host.
              </EmptyState>
            </Panel>
          ) : (
            <Panel flush>
              <RunsTable runs={items} showExperiment />
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
