import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Group, Text } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { allOf } from '@/api/client';
import {
  type OccurrenceOut,
  removeScheduleMutation,
  type ScheduleOut,
  updateScheduleMutation,
} from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { Dim } from '@/components/ui/Dim';
import { ServerText } from '@/components/ui/language/ServerText';
import { RelativeTime } from '@/components/ui/Time';
import { type Column, DataTable } from '@/components/ui/table/DataTable';
import { nameOfState } from '@/domain/states';

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
  const path = { schedule_id: schedule.id };
  const meta = { refetches: [allOf('schedules')] };
  const pause = useMutation({ ...updateScheduleMutation(), meta });
  const remove = useMutation({ ...removeScheduleMutation(), meta });
  const isPaused = schedule.state === 'paused';
  const when = schedule.text;
  const ask = () =>
    askFirst({
      title: t`Remove the schedule ${when}?`,
      text: t`The runs that it has started stay.`,
      confirm: t`Remove`,
      onConfirm: () => remove.mutate({ path }),
    });
  return (
    <Group gap={6} justify="flex-end" wrap="nowrap">
      {schedule.state !== 'ended' && (
        <Button
          variant="default"
          size="compact-xs"
          loading={pause.isPending}
          aria-label={isPaused ? t`Resume the schedule ${when}` : t`Pause the schedule ${when}`}
          onClick={() => pause.mutate({ path, body: { paused: !isPaused } })}
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

function When({ schedule }: { schedule: ScheduleOut }) {
  const { pause_reason, by_token: token } = schedule;
  const more = pause_reason ? <ServerText text={pause_reason} /> : bounds(schedule);
  return (
    <>
      <ServerText text={schedule.text} />
      {more && (
        <Dim size="xs" fw={400}>
          {more}
        </Dim>
      )}
      {token && (
        <Dim size="xs" fw={400}>
          {t`Made by the API token ${token}: it ends with the token. Pause and resume it to keep it.`}
        </Dim>
      )}
    </>
  );
}

const columns = (): Column<ScheduleOut>[] => [
  {
    name: t({ message: 'When', context: 'schedule' }),
    look: { fw: 500 },
    cell: (schedule) => <When schedule={schedule} />,
  },
  {
    name: t({ message: 'Next', context: 'run of a schedule' }),
    cell: ({ next_at, state }) => (next_at ? <RelativeTime iso={next_at} /> : states()[state]),
  },
  {
    name: t({ message: 'Last', context: 'run of a schedule' }),
    cell: ({ latest }) => <Last last={latest[0]} />,
  },
  { name: t`Owner`, cell: ({ created_by }) => created_by },
  {
    name: t`Actions`,
    hidden: true,
    cell: (schedule) => schedule.may_change && <Actions schedule={schedule} />,
  },
];

const ofExperiment = (): Column<ScheduleOut> => ({
  name: t`Experiment`,
  look: { miw: 160 },
  cell: ({ experiment_id: id, experiment_name: name }) => (
    <Anchor component={Link} to={`/experiments/${id}`} size="sm">
      {name}
    </Anchor>
  ),
});

/** ``ofAll``: schedules of several experiments, which are named. */
export function SchedulesTable({ schedules, ofAll }: { schedules: ScheduleOut[]; ofAll?: boolean }) {
  const shown = ofAll ? [ofExperiment(), ...columns()] : columns();
  return <DataTable columns={shown} rows={schedules} minWidth={ofAll ? 840 : 680} />;
}
