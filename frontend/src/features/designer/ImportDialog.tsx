import { plural, t } from '@lingui/core/macro';
import { Alert, Button, FileButton, Group, Modal, Stack } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFileUpload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { DefinitionPreview, DefinitionProblem } from '@/api/generated';
import { CodeField } from '@/components/ui/code/CodeField';
import { FormProblem } from '@/components/ui/FormProblem';
import { languageOf, type Said, said } from '@/lib/language/serverText';
import { messageOf, wordsOf } from '@/lib/problem';
import { usePreviewYaml } from './api';
import { useStore } from './designerContext';
import { Note } from './fields/Section';
import { toDraft } from './model/draft/draft';

interface Props {
  opened: boolean;
  onClose: () => void;
}

/** What a problem is called where its place in the document is told beside it. */
const AT_LINE = '{problem} (line {line} of the document)';

/** The problem itself, and its line in the document. */
function apart(problem: DefinitionProblem): { words: Said; line: number | null } {
  const words = wordsOf(problem);
  if (typeof words === 'string' || words.template !== AT_LINE) return { words, line: null };
  const { problem: itself, line } = words.values;
  const isNumber = typeof line === 'object' && 'number' in line;
  return {
    words: typeof itself === 'object' && 'template' in itself ? itself : String(itself),
    line: isNumber ? line.number : null,
  };
}

/** Problems of a document, at its lines where they name one. */
function notesOf(preview: DefinitionPreview | undefined) {
  return (preview?.problems ?? []).map((problem) => {
    const { words, line } = apart(problem);
    if (problem.field === 'yaml') return { line: problem.line || null, message: said(words) };
    return { line, message: `${problem.field}: ${said(words)}` };
  });
}

/** A document that is being typed or was read from a file, and what the server says about it. */
function useDocument() {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text, 300);
  const preview = usePreviewYaml(settled);
  const notes = useMemo(() => notesOf(preview.data), [preview.data]);
  const atLines = useMemo(
    () => notes.flatMap(({ line, message }) => (line ? [{ line, message }] : [])),
    [notes],
  );
  return {
    text,
    setText,
    preview,
    atLines,
    elsewhere: notes.filter(({ line }) => line === null).map(({ message }) => message),
    count: notes.length,
    warnings: preview.data?.warnings ?? [],
    isRead: settled !== '' && !preview.isFetching && preview.data !== undefined,
    definition: settled === text ? preview.data?.definition : undefined,
  };
}

interface FooterProps {
  document: ReturnType<typeof useDocument>;
  onClose: () => void;
  onLoad: () => void;
}

function summaryOf(count: number): string {
  return count === 0 ? t`No problems.` : plural(count, { one: '# problem.', other: '# problems.' });
}

/** What can be run, but may not be what is meant. */
function Warnings({ document: { warnings } }: Pick<FooterProps, 'document'>) {
  if (warnings.length === 0) return null;
  return (
    <Alert color="yellow" variant="light" title={t`It may not be what you mean`}>
      {warnings.map((warning) => (
        <div key={`${warning.field}:${warning.message}`} lang={languageOf(wordsOf(warning))}>
          {said(wordsOf(warning))}
        </div>
      ))}
    </Alert>
  );
}

function Footer({ document: { definition, preview, count, isRead }, onClose, onLoad }: FooterProps) {
  return (
    <Group justify="space-between" gap="sm">
      <Note role="status">{isRead && summaryOf(count)}</Note>
      <Group gap="sm">
        <Button variant="default" onClick={onClose}>
          {t`Cancel`}
        </Button>
        <Button disabled={!definition} loading={preview.isFetching} onClick={onLoad}>
          {count > 0 && definition ? t`Open with its problems` : t`Open in the designer`}
        </Button>
      </Group>
    </Group>
  );
}

/** A YAML document from a file or the clipboard; it replaces the draft, which undo brings back. */
export function ImportDialog({ opened, onClose }: Props) {
  const store = useStore();
  const document = useDocument();
  const { text, setText, preview, definition } = document;
  function load() {
    if (!definition) return;
    store.change((draft) => toDraft(nameInYaml(text) ?? draft.name, definition));
    setText('');
    onClose();
  }
  return (
    <Modal opened={opened} onClose={onClose} size="xl" title={t`Import YAML`}>
      <Stack gap="sm">
        <Group gap="sm">
          <FileButton
            accept=".yaml,.yml,text/yaml,application/yaml"
            onChange={(file) => file?.text().then(setText)}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFileUpload size={14} />}>
                {t`Choose a file`}
              </Button>
            )}
          </FileButton>
          <Note>{t`or paste a document below.`}</Note>
        </Group>
        <CodeField
          label={t`Document`}
          language="yaml"
          minLines={12}
          value={text}
          onChange={setText}
          notes={document.atLines}
          error={document.elsewhere.join('; ') || null}
        />
        <FormProblem message={preview.isError ? messageOf(preview.error) : undefined} />
        <Warnings document={document} />
        <Footer document={document} onClose={onClose} onLoad={load} />
      </Stack>
    </Modal>
  );
}

/** The name at the top of an exported document. It is not part of the definition, so a preview does not return it. */
export function nameInYaml(text: string): string | null {
  const written = /^name:[ \t]+(.+?)[ \t]*$/m.exec(text)?.[1];
  if (written === undefined) return null;
  if (/^'.*'$/.test(written)) return written.slice(1, -1).replaceAll("''", "'");
  if (!/^".*"$/.test(written)) return written;
  try {
    return JSON.parse(written) as string;
  } catch {
    return written.slice(1, -1); // an escape that only YAML knows
  }
}
