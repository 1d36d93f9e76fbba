import { plural, t } from '@lingui/core/macro';
import { Button, FileButton, Group, Text, Textarea } from '@mantine/core';
import { IconFileUpload, IconFolderUp, IconX } from '@tabler/icons-react';
import { type DragEvent, useRef, useState } from 'react';
import { Dim } from '@/components/ui/Dim';
import { type GivenFile, MOST_FILES, pasted } from '@/domain/configurations';
import classes from './OwnConfigurationPage.module.css';

/** Larger ones are no configuration. */
const MOST_BYTES = 1 << 20;

interface Props {
  label: string;
  note: string;
  files: readonly GivenFile[];
  onFiles: (files: GivenFile[]) => void;
}

async function textsOf(files: readonly File[]): Promise<GivenFile[]> {
  const small = files.filter(({ size }) => size <= MOST_BYTES).slice(0, 10 * MOST_FILES);
  return Promise.all(
    small.map(async (file) => ({ path: file.webkitRelativePath || file.name, text: await file.text() })),
  );
}

/** The files of what was dropped, folders with all that is in them. */
async function dropped(entries: readonly (FileSystemEntry | null)[], above = ''): Promise<GivenFile[]> {
  const found = await Promise.all(
    entries.map(async (entry) => {
      if (!entry) return [];
      const path = `${above}${entry.name}`;
      if (entry.isDirectory) return dropped(await inside(entry as FileSystemDirectoryEntry), `${path}/`);
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      return file.size > MOST_BYTES ? [] : [{ path, text: await file.text() }];
    }),
  );
  return found.flat();
}

const inside = (folder: FileSystemDirectoryEntry) =>
  new Promise<FileSystemEntry[]>((resolve, reject) => folder.createReader().readEntries(resolve, reject));

/** A folder's button: an input of its own, since only it knows folders. */
function FolderButton({ onFiles }: Pick<Props, 'onFiles'>) {
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
        onChange={({ currentTarget }) => void textsOf([...(currentTarget.files ?? [])]).then(onFiles)}
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

function Chosen({ label, files, onFiles }: Omit<Props, 'note'>) {
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
  function give(next: GivenFile[]) {
    setText('');
    onFiles(next);
  }
  function drop(event: DragEvent) {
    event.preventDefault();
    setOver(false);
    const entries = [...event.dataTransfer.items].map((item) => item.webkitGetAsEntry());
    void dropped(entries).then(give);
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
        <FileButton multiple onChange={(chosen) => void textsOf(chosen).then(give)}>
          {(props) => (
            <Button {...props} variant="default" size="xs" leftSection={<IconFileUpload size={14} />}>
              {t`Files`}
            </Button>
          )}
        </FileButton>
        <FolderButton onFiles={give} />
        <Dim>{t`or drop them here, or paste below.`}</Dim>
      </Group>
      {isChosen ? (
        <Chosen label={label} files={files} onFiles={give} />
      ) : (
        <Textarea
          label={label}
          description={note}
          classNames={{ input: classes.text }}
          autosize
          minRows={8}
          maxRows={18}
          spellCheck={false}
          value={text}
          onChange={({ currentTarget: { value } }) => {
            setText(value);
            onFiles(value === '' ? [] : pasted(value));
          }}
        />
      )}
    </section>
  );
}
