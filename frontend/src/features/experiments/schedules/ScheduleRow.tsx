import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Table, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { OccurrenceOut, ScheduleOut } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { ServerText } from '@/components/ui/language/ServerText';
import { RelativeTime } from '@/components/ui/Time';
import { nameOfState } from '@/domain/states';
import { usePauseSchedule, useRemoveSchedule } from '../api/useSchedules';

function NotRun({ outcome, children: since }: { outcome: OccurrenceOut['outcome']; children: ReactNode }) {
  if (outcome === 'skipped') return <Trans>skipped {since}</Trans>;
  return outcome === 'missed' ? <Trans>missed {since}</Trans> : <Trans>refused {since}</Trans>;
}

function Last({ last }: { last: OccurrenceOut | undefined }) {
  if (!last) return t`not yet`;
  const since = <RelativeTime iso={last.due_at} />;
  if (last.run_id)
    return (
      <>
        <Anchor component={Link} to={`/runs/${last.run_id}`} size="sm">
          #{last.run_number}
        </Anchor>{' '}
        {last.run_state && nameOfState(last.run_state)}, {since}
      </>
    );
  if (last.outcome === 'started') return <Trans>a run that was deleted, {since}</Trans>;
  return (
    <Text span size="sm" c={last.outcome === 'skipped' ? undefined : 'var(--danger)'}>
      <NotRun outcome={last.outcome}>{since}</NotRun>
      {': '}
      {last.reason && <ServerText text={last.reason} />}
    </Text>
  );
}

/** When it ends, where that is said. */
function bounds({ most_runs, started, last_day }: ScheduleOut): string {
  const parts = [
    most_runs === null ? '' : t`${started} of ${most_runs} runs started`,
    last_day === null ? '' : t`until ${last_day}`,
  ];
  return parts.filter(Boolean).join(', ');
}

function Actions({ schedule }: { schedule: ScheduleOut }) {
  const pause = usePauseSchedule(schedule.experiment_id);
  const remove = useRemoveSchedule(schedule.experiment_id);
  const isPaused = schedule.state === 'paused';
  const when = schedule.text;
  const ask = () =>
    askFirst({
      title: t`Remove the schedule ${when}?`,
      text: t`The runs that it has started stay.`,
      confirm: t`Remove`,
      onConfirm: () => remove.mutate(schedule.id),
    });
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      {schedule.state !== 'ended' && (
        <Button
          variant="default"
          size="compact-xs"
          loading={pause.isPending}
          aria-label={isPaused ? t`Resume the schedule ${when}` : t`Pause the schedule ${when}`}
          onClick={() => pause.mutate({ id: schedule.id, paused: !isPaused })}
        >
          {isPaused ? t`Resume` : t`Pause`}
        </Button>
      )}
      <Button variant="default" size="compact-xs" aria-label={t`Remove the schedule ${when}`} onClick={ask}>
        <Trans>Remove</Trans>
      </Button>
    </Group>
  );
}

const states = (): Record<ScheduleOut['state'], string> => ({
  active: t({ message: 'active', context: 'schedule' }),
  paused: nameOfState('paused'),
  ended: t({ message: 'ended', context: 'schedule' }),
});

export function ScheduleRow({ schedule }: { schedule: ScheduleOut }) {
  const { pause_reason } = schedule;
  const more = pause_reason ? <ServerText text={pause_reason} /> : bounds(schedule);
  return (
    <Table.Tr>
      <Table.Td fw={500}>
        <ServerText text={schedule.text} />
        {more && (
          <Text size="xs" fw={400} c="var(--text-dim)">
            {more}
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        {schedule.next_at ? <RelativeTime iso={schedule.next_at} /> : states()[schedule.state]}
      </Table.Td>
      <Table.Td>
        <Last last={schedule.latest[0]} />
      </Table.Td>
      <Table.Td>{schedule.created_by}</Table.Td>
      <Table.Td>{schedule.may_change && <Actions schedule={schedule} />}</Table.Td>
    </Table.Tr>
  );
}
