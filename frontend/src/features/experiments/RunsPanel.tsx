import { RunsTable } from '@/components/runs/RunsTable';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { useExperimentRuns } from './api/useExperimentRuns';

/** The experiment's runs, newest first. */
export function RunsPanel({ experimentId }: { experimentId: string }) {
  return (
    <QueryView query={useExperimentRuns(experimentId)} skeleton={[180]}>
      {({ items, total }) => (
        <Panel
          title="Runs"
          flush={items.length > 0}
          note={total > items.length ? `The newest ${items.length} of ${total}.` : undefined}
        >
          {items.length > 0 ? (
            <RunsTable runs={items} />
          ) : (
            <EmptyState title="Not run yet">
              Each run repeats the whole plan in a new random order.
            </EmptyState>
          )}
        </Panel>
      )}
    </QueryView>
  );
}
