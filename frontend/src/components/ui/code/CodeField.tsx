import { Input, Skeleton } from '@mantine/core';
import { type ReactNode, Suspense, useId } from 'react';
import { lazyPart } from '../lazyPart';
import type { CodeEditorProps } from './CodeEditor';

const Editor = lazyPart(() => import('./CodeEditor').then(({ CodeEditor }) => CodeEditor));

export interface CodeFieldProps extends Omit<CodeEditorProps, 'invalid'> {
  description?: ReactNode;
  error?: ReactNode;
  /** For finding the field again: `data-field` of its element. */
  name?: string;
}

/** A text of several lines with highlighting. Tab leaves it, as any field. CodeMirror comes when one is shown. */
export function CodeField({ label, description, error, name, ...editor }: CodeFieldProps) {
  const id = useId();
  return (
    <Input.Wrapper
      label={label}
      labelElement="div"
      labelProps={{ id }}
      description={description}
      error={error}
      data-field={name}
    >
      <Suspense fallback={<Skeleton height={22 + 20 * (editor.minLines ?? 2)} />}>
        <Editor label={label} invalid={Boolean(error) || Boolean(editor.notes?.length)} {...editor} />
      </Suspense>
    </Input.Wrapper>
  );
}
