import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, NumberInput, Select, Stack, Textarea } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { type FormEvent, type ReactNode, useState } from 'react';
import { allOf } from '@/api/client';
import { addNoteMutation, editNoteMutation, type NoteOut } from '@/api/generated';
import { FormProblem } from '@/components/ui/FormProblem';
import { MOST_CHARACTERS, type NotedRun, type NotePlace, trialWords } from '@/domain/notes';
import { ApiProblem, messageOf } from '@/lib/problem';

/** Trends show how many notes a run has. */
const CHANGES = { errorShownInPlace: true, refetches: [allOf('notes'), allOf('trends')] };

export function EditNote({ note, onDone }: { note: NoteOut; onDone: () => void }) {
  const edit = useMutation({ ...editNoteMutation(), meta: CHANGES });
  return (
    <NoteForm
      initial={note.text}
      submit={t`Save`}
      sending={edit}
      onSubmit={(text) => edit.mutate({ path: { note_id: note.id }, body: { text } }, { onSuccess: onDone })}
      onCancel={onDone}
    />
  );
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

export function AddNote({
  run,
  place: first,
  onDone,
}: {
  run: NotedRun;
  place: NotePlace;
  onDone: () => void;
}) {
  const [place, setPlace] = useState(first);
  const add = useMutation({ ...addNoteMutation(), meta: CHANGES });
  const send = (text: string) => {
    const body = { text, trial_id: place.trialId ?? null, t_s: place.t ?? null };
    add.mutate({ path: { run_id: run.id }, body }, { onSuccess: onDone });
  };
  return (
    <NoteForm submit={t`Add the note`} sending={add} onSubmit={send} onCancel={onDone}>
      {run.trials.length > 0 && <PlaceFields run={run} place={place} onChange={setPlace} />}
    </NoteForm>
  );
}

/** The server's problems with fields, else its message. */
function problemOf(error: unknown): string | undefined {
  if (!error) return undefined;
  const fields = error instanceof ApiProblem ? error.fields : [];
  return fields.map(({ field, message }) => `${field}: ${message}`).join('; ') || messageOf(error);
}

interface Props {
  initial?: string;
  submit: string;
  sending: { isPending: boolean; error: unknown };
  onSubmit: (text: string) => void;
  onCancel: () => void;
  children?: ReactNode;
}

function NoteForm({ initial = '', submit, sending, onSubmit, onCancel, children }: Props) {
  const [text, setText] = useState(initial);
  const [isEmpty, setEmpty] = useState(false);
  const send = (event: FormEvent) => {
    event.preventDefault();
    setEmpty(text.trim() === '');
    if (text.trim() !== '') onSubmit(text);
  };
  return (
    <form onSubmit={send} noValidate>
      <Stack gap="md">
        <Textarea
          label={t`Note`}
          description={t({ message: 'Markdown: **bold**, `code`, [words](https://…), lists.' })}
          value={text}
          onChange={({ currentTarget }) => setText(currentTarget.value)}
          error={isEmpty && text.trim() === '' && t`Write something first.`}
          maxLength={MOST_CHARACTERS}
          minRows={4}
          maxRows={16}
          autosize
          data-autofocus
        />
        {children}
        <FormProblem message={problemOf(sending.error)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={sending.isPending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
