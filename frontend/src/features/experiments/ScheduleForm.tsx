import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import {
  Button,
  Checkbox,
  Group,
  NumberInput,
  SegmentedControl,
  Select,
  Stack,
  TextInput,
} from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type SubmitEvent, useState } from 'react';
import { allOf } from '@/api/client';
import {
  createScheduleMutation,
  type ExperimentDetail,
  type ScheduleCreate,
  type Timing,
} from '@/api/generated';
import { NginxChoice } from '@/components/hosts/NginxChoice';
import { SlotHosts } from '@/components/hosts/SlotHosts';
import { useHostChoice } from '@/components/hosts/useHostChoice';
import { Dim } from '@/components/ui/Dim';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { buildsOfDefinition } from '@/domain/builds';
import { slotsOfDefinition } from '@/domain/slots';

interface TimingFieldsProps {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

const repeats = () => [
  { value: 'daily', label: t`Every day` },
  { value: 'weekly', label: t`Weekly` },
  { value: 'once', label: t`Once` },
];

const ends = () => [
  { value: 'never', label: t({ message: 'never', context: 'end of a schedule' }) },
  { value: 'runs', label: t`after a number of runs` },
  { value: 'day', label: t`on a day` },
];

function Days({ draft, set }: TimingFieldsProps) {
  if (draft.repeats === 'once')
    return (
      <TextInput
        type="date"
        label={t`Day`}
        value={draft.on}
        onChange={(event) => set({ on: event.currentTarget.value })}
      />
    );
  if (draft.repeats === 'daily') return null;
  return (
    <Checkbox.Group
      label={t`Days`}
      value={draft.weekdays}
      onChange={(days) => set({ weekdays: days as Draft['weekdays'] })}
    >
      <Group gap="sm" mt={4}>
        {weekdays().map(({ value, label }) => (
          <Checkbox key={value} value={value} label={label} size="xs" />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

function EndFields({ draft, set }: TimingFieldsProps) {
  if (draft.repeats === 'once') return null;
  return (
    <Group gap="sm" align="flex-end">
      <Select
        label={t({ message: 'Ends', context: 'schedule' })}
        data={ends()}
        value={draft.end}
        allowDeselect={false}
        onChange={(end) => set({ end: end as End })}
      />
      {draft.end === 'runs' && (
        <NumberInput
          label={t`Runs`}
          min={1}
          max={1000}
          allowDecimal={false}
          value={draft.mostRuns}
          onChange={(mostRuns) => set({ mostRuns })}
          w={100}
        />
      )}
      {draft.end === 'day' && (
        <TextInput
          type="date"
          label={t`Last day`}
          value={draft.lastDay}
          onChange={(event) => set({ lastDay: event.currentTarget.value })}
        />
      )}
    </Group>
  );
}

/** When: how it repeats, the days, the time of day with its zone, and the end. */
function TimingFields({ draft, set }: TimingFieldsProps) {
  return (
    <>
      <SegmentedControl
        aria-label={t`Repeats`}
        data={repeats()}
        value={draft.repeats}
        onChange={(chosen) => set({ repeats: chosen as Draft['repeats'] })}
      />
      <Days draft={draft} set={set} />
      <Group gap="sm" align="flex-end">
        <TextInput
          type="time"
          label={t`Time`}
          value={draft.time}
          onChange={(event) => set({ time: event.currentTarget.value })}
        />
        <Select
          label={t`Time zone`}
          data={ZONES}
          value={draft.zone}
          searchable
          allowDeselect={false}
          limit={100}
          onChange={(zone) => zone && set({ zone })}
          flex={1}
        />
      </Group>
      <EndFields draft={draft} set={set} />
    </>
  );
}

type Repeats = Timing['repeats'];
type Weekday = NonNullable<Timing['weekdays']>[number];
type End = 'never' | 'runs' | 'day';

const weekdays = (): { value: Weekday; label: string }[] => [
  { value: 'mon', label: t`Mon` },
  { value: 'tue', label: t`Tue` },
  { value: 'wed', label: t`Wed` },
  { value: 'thu', label: t`Thu` },
  { value: 'fri', label: t`Fri` },
  { value: 'sat', label: t`Sat` },
  { value: 'sun', label: t`Sun` },
];

/** The reader's own zone first chosen, since that is the clock that they mean. */
const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const FIRST = {
  repeats: 'daily' as Repeats,
  time: '02:00',
  zone: ZONES.includes(HERE) ? HERE : 'UTC',
  on: '',
  weekdays: ['mon'] as Weekday[],
  end: 'never' as End,
  mostRuns: 10 as number | string,
  lastDay: '',
};

type Draft = typeof FIRST;

/** What the server is asked for; null while something is missing. */
function asked(draft: Draft): Omit<ScheduleCreate, 'run'> | null {
  const { repeats, time, zone, on, weekdays, end, mostRuns, lastDay } = draft;
  const isOnce = repeats === 'once';
  const ending = isOnce ? 'never' : end;
  const given = { never: true, runs: mostRuns, day: lastDay }[ending];
  const missing = !time || !given || (isOnce && !on) || (repeats === 'weekly' && weekdays.length === 0);
  if (missing) return null;
  return {
    timing: {
      repeats,
      time,
      zone,
      ...(isOnce ? { on } : {}),
      ...(repeats === 'weekly' ? { weekdays } : {}),
    },
    ...(ending === 'runs' ? { most_runs: Number(mostRuns) } : {}),
    ...(ending === 'day' ? { last_day: lastDay } : {}),
  };
}

interface Props {
  experiment: ExperimentDetail;
  onDone: () => void;
}

const NO_PROBLEMS = new Map<string, string>();

/** Have the latest version run by itself: when, and on which hosts. */
export function ScheduleForm({ experiment: { id, definition }, onDone }: Props) {
  const slots = slotsOfDefinition(definition);
  const where = useHostChoice(slots, buildsOfDefinition(definition));
  const [draft, setDraft] = useState(FIRST);
  const due = asked(draft);
  const create = useMutation({
    ...createScheduleMutation(),
    meta: { errorShownInPlace: true, refetches: [allOf('schedules')] },
  });
  function submit(event: SubmitEvent) {
    event.preventDefault();
    if (!where.complete || !due) return;
    const body = { ...due, run: where.complete };
    create.mutate({ path: { experiment_id: id }, body }, { onSuccess: onDone });
  }
  return (
    <form onSubmit={submit} aria-label={t`Schedule`}>
      <Stack gap="sm">
        <TimingFields draft={draft} set={(changes) => setDraft((current) => ({ ...current, ...changes }))} />
        <SlotHosts
          slots={slots}
          assigned={where.assigned}
          addresses={where.addresses}
          problems={NO_PROBLEMS}
          onAssign={where.assign}
          onAddress={where.setAddress}
        />
        <NginxChoice slots={slots} choice={where} problems={NO_PROBLEMS} />
        <Dim>
          <Trans>
            Each run is yours and of the version that is the latest then. A time is skipped while the run
            before goes on, and missed if the server is down for more than an hour.
          </Trans>
        </Dim>
        {create.error && <ProblemNotice error={create.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onDone}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={create.isPending} disabled={!where.complete || !due}>
            <Trans>Create schedule</Trans>
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
