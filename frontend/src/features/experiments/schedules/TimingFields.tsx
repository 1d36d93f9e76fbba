import { Checkbox, Group, NumberInput, SegmentedControl, Select, TextInput } from '@mantine/core';
import { type Draft, type End, WEEKDAYS, ZONES } from './useTiming';

interface Props {
  draft: Draft;
  set: (changes: Partial<Draft>) => void;
}

const REPEATS = [
  { value: 'daily', label: 'Every day' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'once', label: 'Once' },
];

const ENDS = [
  { value: 'never', label: 'never' },
  { value: 'runs', label: 'after a number of runs' },
  { value: 'day', label: 'on a day' },
];

function Days({ draft, set }: Props) {
  if (draft.repeats === 'once')
    return (
      <TextInput
        type="date"
        label="Day"
        value={draft.on}
        onChange={(event) => set({ on: event.currentTarget.value })}
      />
    );
  if (draft.repeats === 'daily') return null;
  return (
    <Checkbox.Group
      label="Days"
      value={draft.weekdays}
      onChange={(weekdays) => set({ weekdays: weekdays as Draft['weekdays'] })}
    >
      <Group gap="sm" mt={4}>
        {WEEKDAYS.map(({ value, label }) => (
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
        label="Ends"
        data={ENDS}
        value={draft.end}
        allowDeselect={false}
        onChange={(end) => set({ end: end as End })}
      />
      {draft.end === 'runs' && (
        <NumberInput
          label="Runs"
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
          label="Last day"
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
        aria-label="Repeats"
        data={REPEATS}
        value={draft.repeats}
        onChange={(repeats) => set({ repeats: repeats as Draft['repeats'] })}
      />
      <Days draft={draft} set={set} />
      <Group gap="sm" align="flex-end">
        <TextInput
          type="time"
          label="Time"
          value={draft.time}
          onChange={(event) => set({ time: event.currentTarget.value })}
        />
        <Select
          label="Time zone"
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
