import { plural, t } from '@lingui/core/macro';
import { Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { IconFileUpload, IconFolderUp, IconX } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { Dim } from '@/components/ui/Dim';
import { type GivenFile, MOST_FILES, pasted } from '@/domain/configurations';
import { type Chosen, given, within } from './givenFiles';
import { LeftOut } from './LeftOut';
import classes from './OwnConfigurationPage.module.css';

interface Props {
  label: string;
  note: string;
  files: readonly GivenFile[];
  onFiles: (files: GivenFile[]) => void;
}

const chosenFiles = (files: readonly File[]): Chosen[] =>
  files.map((file) => ({ path: file.webkitRelativePath || file.name, file }));

/** A folder's button: an input of its own, since only it knows folders. */
function FolderButton({ onFiles }: { onFiles: (files: Chosen[]) => void }) {
  const input = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={(element) => {
          input.current = element;
          element?.setAttribute('webkitdirectory', '');
        }}
        type="file"
        hidden
        aria-hidden
        tabIndex={-1}
        onChange={({ currentTarget }) => onFiles(chosenFiles([...(currentTarget.files ?? [])]))}
      />
      <Button
        variant="default"
        size="xs"
        leftSection={<IconFolderUp size={14} />}
        onClick={() => input.current?.click()}
      >
        {t`Folder`}
      </Button>
    </>
  );
}

function ChosenFiles({ label, files, onFiles }: Omit<Props, 'note'>) {
  const first = files[0]?.path.split('/')[0] ?? '';
  return (
    <Group gap="xs">
      <Text size="sm">
        <code>{first}</code> {files.length > 1 && plural(files.length, { one: '# file', other: '# files' })}
      </Text>
      <Button
        variant="subtle"
        size="compact-xs"
        leftSection={<IconX size={12} />}
        aria-label={t`Remove: ${label}`}
        onClick={() => onFiles([])}
      >
        {t`Remove`}
      </Button>
    </Group>
  );
}

/** One configuration: dropped, chosen as files or as a folder, or pasted. */
export function ConfigurationInput({ label, note, files, onFiles }: Props) {
  const [isOver, setOver] = useState(false);
  const [text, setText] = useState('');
  const [left, setLeft] = useState<string[]>([]);
  function take(next: GivenFile[], unread: string[] = []) {
    setText('');
    setLeft(unread);
    onFiles(next);
  }
  const give = (chosen: readonly Chosen[]) => void given(chosen).then((read) => take(read.files, read.left));
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
    void within(entries).then(give);
  }
  const isChosen = files.length > 0 && text === '';
  return (
    <section
      className={classes.drop}
      data-over={isOver || undefined}
      aria-label={label}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <Group gap="xs">
        <FileButton multiple onChange={(chosen) => give(chosenFiles(chosen))}>
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<IconFileUpload size={14} />}>
              {t`Files`}
            </Button>
          )}
        </FileButton>
        <FolderButton onFiles={give} />
        <Dim>{t`or drop them here, or paste below.`}</Dim>
      </Group>
      <LeftOut unread={left} files={files} most={MOST_FILES} />
      {isChosen ? (
        <ChosenFiles label={label} files={files} onFiles={(next) => take(next)} />
      ) : (
        <Textarea
          label={label}
          description={note}
          classNames={{ input: classes.text }}
          autosize
          minRows={8}
          maxRows={10}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value);
            setLeft([]);
            onFiles(value === '' ? [] : pasted(value));
          }}
        />
      )}
    </section>
  );
}
