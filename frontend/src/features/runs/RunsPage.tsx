import { Button } from '@mantine/core';
import { Link } from 'react-router';
import { RunsTable } from '@/components/runs/RunsTable';
import { EmptyState } from '@/components/ui/EmptyState';
import { PageHeader } from '@/components/ui/PageHeader';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { Pages } from '@/components/ui/table/Pages';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSearchState } from '@/lib/useSearchState';
import { PAGE_SIZE, useRuns } from './api/useRuns';

function NoRuns() {
  return (
    <Panel>
      <EmptyState
        title="No runs yet"
        action={
          <Button component={Link} to="/experiments/new">
            New experiment
          </Button>
        }
      >
        Choose a template, adjust it, and run it on a host.
      </EmptyState>
    </Panel>
  );
}

export default function RunsPage() {
  usePageTitle('Runs');
  const [address, setAddress] = useSearchState('page', '1');
  const page = Number(address) || 1;
  const runs = useRuns(page);
  return (
    <>
      <PageHeader title="Runs" meta="Of all experiments, newest first." />
      <QueryView query={runs} skeleton={[320]}>
        {({ items, total }) =>
          total === 0 ? (
            <NoRuns />
          ) : (
            <Panel flush>
              <RunsTable runs={items} showExperiment />
              <Pages total={total} size={PAGE_SIZE} page={page} onPage={(next) => setAddress(String(next))} />
            </Panel>
          )
        }
      </QueryView>
    </>
  );
}
