import { Alert, Button, FileButton, Group, Modal, Stack, Text } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconFileUpload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { DefinitionPreview } from '@/api/generated';
import { CodeField } from '@/components/ui/code/CodeField';
import { messageOf } from '@/lib/problem';
import { usePreviewYaml } from '../api/usePreviewYaml';
import { type Draft, toDraft } from '../model/draft/draft';
import { nameInYaml } from '../model/yamlName';

interface Props {
  opened: boolean;
  onClose: () => void;
  onImport: (change: (draft: Draft) => Draft) => void;
}

const LINE = /\s*\(line (\d+) of the document\)$/;

/** Problems of a document, at its lines where they name one. */
function notesOf(preview: DefinitionPreview | undefined) {
  return (preview?.problems ?? []).map(({ field, line, message }) => {
    const inDocument = field === 'yaml' ? line : Number(LINE.exec(message)?.[1] ?? 0);
    const text = message.replace(LINE, '');
    return { line: inDocument || null, message: field === 'yaml' ? text : `${field}: ${text}` };
  });
}

/** A YAML document from a file or the clipboard; it replaces the draft, which undo brings back. */
export function ImportDialog({ opened, onClose, onImport }: Props) {
  const [text, setText] = useState('');
  const [settled] = useDebouncedValue(text, 300);
  const preview = usePreviewYaml(settled);
  const found = useMemo(() => notesOf(preview.data), [preview.data]);
  const atLines = useMemo(
    () => found.flatMap(({ line, message }) => (line ? [{ line, message }] : [])),
    [found],
  );
  const elsewhere = found.filter(({ line }) => line === null).map(({ message }) => message);
  const definition = settled === text ? preview.data?.definition : undefined;

  function load() {
    if (!definition) return;
    onImport((draft) => toDraft(nameInYaml(text) ?? draft.name, definition));
    setText('');
    onClose();
  }

  return (
    <Modal opened={opened} onClose={onClose} size="xl" title="Import YAML">
      <Stack gap="sm">
        <Group gap="sm">
          <FileButton
            accept=".yaml,.yml,text/yaml,application/yaml"
            onChange={(file) => file?.text().then(setText)}
          >
            {(props) => (
              <Button {...props} variant="default" leftSection={<IconFileUpload size={14} />}>
                Choose a file
              </Button>
            )}
          </FileButton>
          <Text size="xs" c="var(--text-dim)">
            or paste a document below.
          </Text>
        </Group>
        <CodeField
          label="Document"
          language="yaml"
          minLines={12}
          value={text}
          onChange={setText}
          notes={atLines}
          error={elsewhere.join('; ') || null}
        />
        {preview.isError && (
          <Alert color="red" variant="light" role="alert">
            {messageOf(preview.error)}
          </Alert>
        )}
        <Group justify="space-between" gap="sm">
          <Text size="xs" c="var(--text-dim)" role="status">
            {settled !== '' && !preview.isFetching && preview.data
              ? found.length === 0
                ? 'No problems.'
                : `${found.length} ${found.length === 1 ? 'problem' : 'problems'}.`
              : ''}
          </Text>
          <Group gap="sm">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button disabled={!definition} loading={preview.isFetching} onClick={load}>
              {found.length > 0 && definition ? 'Open with its problems' : 'Open in the designer'}
            </Button>
          </Group>
        </Group>
      </Stack>
    </Modal>
  );
}
