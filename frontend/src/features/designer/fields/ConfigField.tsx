import { t } from '@lingui/core/macro';
import { memo, type ReactNode, useMemo } from 'react';
import { CodeField } from '@/components/ui/code/CodeField';
import type { CodeLanguage } from '@/components/ui/code/codeLook';
import { textOfProblems, useField, useStore, useValue } from '../designerContext';
import { withValue } from '../model/paths';

interface Props {
  path: string;
  label: string;
  language?: CodeLanguage;
  description?: ReactNode;
  placeholder?: string;
  minLines?: number;
  empty?: null | '';
}

/** A fragment of code of the draft, with what is wrong at its lines. */
export const ConfigField = memo(function ConfigField(props: Props) {
  const { path, label, language = 'nginx', description, placeholder, minLines, empty = '' } = props;
  const store = useStore();
  const value = useValue<string | null>(path) ?? '';
  const problems = useField(path, label);
  const notes = useMemo(
    () =>
      problems.flatMap(({ line, message, source }) =>
        line ? [{ line, message: said(message, source) }] : [],
      ),
    [problems],
  );
  const error = textOfProblems(problems.filter(({ line }) => !line));
  return (
    <CodeField
      name={path}
      label={label}
      language={language}
      description={description}
      placeholder={placeholder}
      minLines={minLines}
      value={value}
      notes={notes}
      error={error}
      onChange={(text) => store.change((draft) => withValue(draft, path, text === '' ? empty : text), path)}
    />
  );
});

/** The line is where the message stands, so it need not be told again. */
function said(message: string, source: string | null): string {
  const text = message.replace(/^line \d+: /, '');
  return source ? t`nginx on ${source}: ${text}` : text;
}
