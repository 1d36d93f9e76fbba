import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, Stack, Textarea } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import { FormProblem } from '@/components/ui/FormProblem';
import { MOST_CHARACTERS } from '@/domain/notes';
import { ApiProblem, messageOf } from '@/lib/problem';

/** What the server says of the fields, else of the whole. */
function problemOf(error: unknown): string | undefined {
  if (!error) return undefined;
  const fields = error instanceof ApiProblem ? error.fields : [];
  return fields.map(({ field, message }) => `${field}: ${message}`).join('; ') || messageOf(error);
}

interface Props {
  /** What it says so far. */
  initial?: string;
  submit: string;
  isSending: boolean;
  error: unknown;
  onSubmit: (text: string) => void;
  onCancel: () => void;
  /** Fields besides the text. */
  children?: ReactNode;
}

export function NoteForm({ initial = '', submit, isSending, error, onSubmit, onCancel, children }: Props) {
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
        <FormProblem message={problemOf(error)} />
        <Group justify="flex-end" gap="sm">
          <Button variant="default" onClick={onCancel}>
            <Trans>Cancel</Trans>
          </Button>
          <Button type="submit" loading={isSending}>
            {submit}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
