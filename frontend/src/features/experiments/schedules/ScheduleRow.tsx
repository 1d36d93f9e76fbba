import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import { Link } from 'react-router';
import type { OccurrenceOut, ScheduleOut } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { RelativeTime } from '@/components/ui/Time';
import { usePauseSchedule, useRemoveSchedule } from '../api/useSchedules';

function Last({ last }: { last: OccurrenceOut | undefined }) {
  if (!last) return <>not yet</>;
  if (last.run_id)
    return (
      <>
        <Anchor component={Link} to={`/runs/${last.run_id}`} size="sm">
          #{last.run_number}
        </Anchor>{' '}
        {last.run_state}, <RelativeTime iso={last.due_at} />
      </>
    );
  if (last.outcome === 'started')
    return (
      <>
        a run that was deleted, <RelativeTime iso={last.due_at} />
      </>
    );
  return (
    <Text span size="sm" c={last.outcome === 'skipped' ? undefined : 'var(--danger)'}>
      {last.outcome} <RelativeTime iso={last.due_at} />: {last.reason}
    </Text>
  );
}

/** When it ends, where that is said. */
function bounds({ most_runs, started, last_day }: ScheduleOut): string {
  const parts = [
    most_runs === null ? '' : `${started} of ${most_runs} runs started`,
    last_day === null ? '' : `until ${last_day}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function Actions({ schedule }: { schedule: ScheduleOut }) {
  const pause = usePauseSchedule(schedule.experiment_id);
  const remove = useRemoveSchedule(schedule.experiment_id);
  const isPaused = schedule.state === 'paused';
  const ask = () =>
    askFirst({
      title: `Remove the schedule ${schedule.text}?`,
      text: 'The runs that it has started stay.',
      confirm: 'Remove',
      onConfirm: () => remove.mutate(schedule.id),
    });
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      {schedule.state !== 'ended' && (
        <Button
          variant="default"
          size="compact-xs"
          loading={pause.isPending}
          aria-label={`${isPaused ? 'Resume' : 'Pause'} the schedule ${schedule.text}`}
          onClick={() => pause.mutate({ id: schedule.id, paused: !isPaused })}
        >
          {isPaused ? 'Resume' : 'Pause'}
        </Button>
      )}
      <Button
        variant="default"
        size="compact-xs"
        aria-label={`Remove the schedule ${schedule.text}`}
        onClick={ask}
      >
        Remove
      </Button>
    </Group>
  );
}

export function ScheduleRow({ schedule }: { schedule: ScheduleOut }) {
  const more = schedule.pause_reason ?? bounds(schedule);
  return (
    <Table.Tr>
      <Table.Td fw={500}>
        {schedule.text}
        {more && (
          <Text size="xs" fw={400} c="var(--text-dim)">
            {more}
          </Text>
        )}
      </Table.Td>
      <Table.Td>{schedule.next_at ? <RelativeTime iso={schedule.next_at} /> : schedule.state}</Table.Td>
      <Table.Td>
        <Last last={schedule.latest[0]} />
      </Table.Td>
      <Table.Td>{schedule.created_by}</Table.Td>
      <Table.Td>{schedule.may_change && <Actions schedule={schedule} />}</Table.Td>
    </Table.Tr>
  );
}
