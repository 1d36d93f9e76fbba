import { t } from '@lingui/core/macro';
import { Checkbox, Group, NumberInput, SegmentedControl, Select, TextInput } from '@mantine/core';
import { type Draft, type End, weekdays, ZONES } from './useTiming';

interface Props {
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

function Days({ draft, set }: Props) {
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

function EndFields({ draft, set }: Props) {
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
export function TimingFields({ draft, set }: Props) {
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
