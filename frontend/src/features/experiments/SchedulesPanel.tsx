import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCalendarTime } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { itemsOf } from '@/api/client';
import { type ExperimentDetail, listSchedulesOptions } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { SchedulesTable } from '@/components/experiments/SchedulesTable';
import { Dim } from '@/components/ui/Dim';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { ScheduleForm } from './ScheduleForm';

function openForm(experiment: ExperimentDetail) {
  const id = modals.open({
    title: t`Run by itself`,
    children: <ScheduleForm experiment={experiment} onDone={() => modals.close(id)} />,
  });
}

function NoSchedule() {
  return (
    <Dim>
      <Trans>
        It runs only when somebody starts it. A schedule runs the latest version every day, on days of the
        week, or once, as you.
      </Trans>
    </Dim>
  );
}

/** When the experiment runs by itself, and what became of it. */
export function SchedulesPanel({ experiment }: { experiment: ExperimentDetail }) {
  const mayRun = useHasRole('experimenter') && experiment.archived_at === null;
  // Polled, since runs start without the reader.
  const query = useQuery({
    ...listSchedulesOptions({ query: { experiment_id: experiment.id } }),
    select: itemsOf,
    refetchInterval: 30_000,
  });
  const create = mayRun && (
    <Button
      variant="default"
      size="compact-sm"
      leftSection={<IconCalendarTime size={14} />}
      onClick={() => openForm(experiment)}
    >
      <Trans>New schedule</Trans>
    </Button>
  );
  return (
    <Panel title={t`Schedules`} actions={create} flush={(query.data?.length ?? 0) > 0}>
      <QueryView query={query} skeleton={[80]}>
        {(schedules) => (schedules.length === 0 ? <NoSchedule /> : <SchedulesTable schedules={schedules} />)}
      </QueryView>
    </Panel>
  );
}
