import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCalendarTime } from '@tabler/icons-react';
import type { ExperimentDetail } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { HeadRow } from '@/components/ui/table/HeadRow';
import { WideTable } from '@/components/ui/table/WideTable';
import { useSchedules } from '../api/useSchedules';
import { ScheduleForm } from './ScheduleForm';
import { ScheduleRow } from './ScheduleRow';

const columns = () => [
  t({ message: 'When', context: 'schedule' }),
  t({ message: 'Next', context: 'run of a schedule' }),
  t({ message: 'Last', context: 'run of a schedule' }),
  t`Owner`,
  { name: t`Actions`, hidden: true },
];

function openForm(experiment: ExperimentDetail) {
  const id = modals.open({
    title: t`Run by itself`,
    children: <ScheduleForm experiment={experiment} onDone={() => modals.close(id)} />,
  });
}

function NoSchedule() {
  return (
    <Text size="sm" c="var(--text-dim)">
      <Trans>
        It runs only when somebody starts it. A schedule runs the latest version every day, on days of the
        week, or once, as you.
      </Trans>
    </Text>
  );
}

/** When the experiment runs by itself, and what became of it. */
export function SchedulesPanel({ experiment }: { experiment: ExperimentDetail }) {
  const mayRun = useHasRole('experimenter') && experiment.archived_at === null;
  const query = useSchedules(experiment.id);
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
        {(schedules) =>
          schedules.length === 0 ? (
            <NoSchedule />
          ) : (
            <WideTable minWidth={680}>
              <Table>
                <HeadRow columns={columns()} />
                <Table.Tbody>
                  {schedules.map((schedule) => (
                    <ScheduleRow key={schedule.id} schedule={schedule} />
                  ))}
                </Table.Tbody>
              </Table>
            </WideTable>
          )
        }
      </QueryView>
    </Panel>
  );
}
