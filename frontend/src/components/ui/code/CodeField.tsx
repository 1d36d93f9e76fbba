import { Input, Skeleton } from '@mantine/core';
import { lazy, type ReactNode, Suspense, useId } from 'react';
import type { CodeLanguage } from './codeLook';

const Editor = lazy(() => import('./CodeEditor').then((module) => ({ default: module.CodeEditor })));

/** Something to say about a line, counted from 1. */
export interface LineNote {
  line: number;
  message: string;
}

export interface CodeFieldProps {
  label: string;
  value: string;
  onChange: (value: string) => void;
  language: CodeLanguage;
  description?: ReactNode;
  placeholder?: string;
  /** Shown below the field. */
  error?: ReactNode;
  /** Shown under their lines. */
  notes?: readonly LineNote[];
  /** For finding the field again: `data-field` of its element. */
  name?: string;
  minLines?: number;
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
