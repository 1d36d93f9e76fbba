import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group } from '@mantine/core';
import { IconChartLine } from '@tabler/icons-react';
import { Link } from 'react-router';
import type { RunSummary } from '@/api/generated';
import { CompareChosen, useSelection } from '@/components/runs/CompareChosen';
import { RunsTable } from '@/components/runs/RunsTable';
import { EmptyState } from '@/components/ui/EmptyState';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { useExperimentRuns } from './api/useExperimentRuns';

/** Leads to the trends of an experiment, where there are two runs or more to see one. */
function TrendsButton({ experimentId, runs }: { experimentId: string; runs: readonly RunSummary[] }) {
  if (runs.filter(({ state }) => state === 'completed').length < 2) return null;
  return (
    <Button
      component={Link}
      to={`/experiments/${experimentId}/trends`}
      variant="default"
      size="sm"
      leftSection={<IconChartLine size={14} />}
    >
      <Trans>Trends</Trans>
    </Button>
  );
}

const newestOf = (count: number, total: number) =>
  total > count ? t`The newest ${count} of ${total}.` : undefined;

/** The experiment's runs, newest first. */
export function RunsPanel({ experimentId }: { experimentId: string }) {
  const selection = useSelection();
  return (
    <QueryView query={useExperimentRuns(experimentId)} skeleton={[180]}>
      {({ items, total }) => (
        <Panel
          title={t`Runs`}
          flush={items.length > 0}
          actions={
            <Group gap="xs">
              <CompareChosen chosen={selection.chosen} />
              <TrendsButton experimentId={experimentId} runs={items} />
            </Group>
          }
          note={newestOf(items.length, total)}
        >
          {items.length > 0 ? (
            <RunsTable runs={items} selection={selection} />
          ) : (
            <EmptyState title={t`Not run yet`}>
              <Trans>Each run repeats the whole plan in a new random order.</Trans>
            </EmptyState>
          )}
        </Panel>
      )}
    </QueryView>
  );
}
