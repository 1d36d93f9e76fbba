import { t } from '@lingui/core/macro';
import { Group, NumberInput, Select } from '@mantine/core';
import { useState } from 'react';
import { useAddNote } from '@/api/notes/useAddNote';
import { type NotedRun, trialWords } from '@/domain/notes';
import { NoteForm } from './NoteForm';

/** Where a note is to be; a trial may be left out, and so may the moment. */
export interface NotePlace {
  trialId?: string | null;
  t?: number | null;
}

interface PlaceProps {
  run: NotedRun;
  place: NotePlace;
  onChange: (place: NotePlace) => void;
}

function PlaceFields({ run, place: { trialId = null, t: at = null }, onChange }: PlaceProps) {
  const trials = run.trials.map((trial) => ({ value: trial.id, label: trialWords(run, trial) }));
  const { warmup_s, measure_s } = run.plan;
  return (
    <Group align="flex-start" grow preventGrowOverflow={false}>
      <Select
        label={t({ message: 'On', context: 'note' })}
        data={[{ value: '', label: t`Whole run` }, ...trials]}
        value={trialId ?? ''}
        onChange={(value) => onChange({ trialId: value || null, t: value ? at : null })}
        allowDeselect={false}
        searchable={trials.length > 10}
      />
      {trialId && (
        <NumberInput
          label={t`Moment (optional)`}
          description={`Seconds since the start of the measured window, from ${-warmup_s} to ${measure_s}`}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
          value={at ?? ''}
          onChange={(value) => onChange({ trialId, t: value === '' ? null : Number(value) })}
          min={-warmup_s}
          max={measure_s}
          step={0.1}
          decimalScale={2}
        />
      )}
    </Group>
  );
}

interface Props {
  run: NotedRun;
  place: NotePlace;
  onDone: () => void;
}

/** Asks for a note and for what it is on. */
export function AddNote({ run, place: first, onDone }: Props) {
  const [place, setPlace] = useState(first);
  const add = useAddNote(run.id);
  const send = (text: string) =>
    add.mutate({ text, trial_id: place.trialId ?? null, t_s: place.t ?? null }, { onSuccess: onDone });
  return (
    <NoteForm
      submit={t`Add the note`}
      isSending={add.isPending}
      error={add.error}
      onSubmit={send}
      onCancel={onDone}
    >
      {run.trials.length > 0 && <PlaceFields run={run} place={place} onChange={setPlace} />}
    </NoteForm>
  );
}
