import { Button, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { formatBytes } from '@/lib/format';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { TextField } from '../../fields/TextField';
import { type DraftFiles, withCold, withoutFiles } from '../../model/draft/serverDraft';
import { uniqueKey } from '../../model/draft/values';
import { withValue } from '../../model/paths';
import { ColdFilesFields } from './ColdFilesFields';
import classes from './FilesEditor.module.css';

function sizeOf({ count, size_bytes }: DraftFiles): string | null {
  const total = Number(count) * Number(size_bytes);
  return Number.isFinite(total) && total > 0 ? formatBytes(total) : null;
}

/** Files that are made for the trial, to be served. */
export function FilesEditor() {
  const store = useStore();
  const files = useDraft((draft) => draft.nginx.files);
  const isCold = useDraft((draft) => draft.nginx.cold_files !== null);
  const put = (next: DraftFiles[]) => store.change((draft) => withValue(draft, 'nginx.files', next));
  const remove = (index: number) =>
    store.change(({ nginx, ...draft }) => ({ ...draft, nginx: withoutFiles(nginx, index) }));
  function add() {
    const folder = uniqueKey(
      'files',
      files.map((item) => item.folder),
    );
    put([...files, { folder, count: 100, size_bytes: 65_536, seed: 1, cold: false }]);
    focusSoon(`nginx.files.${files.length}.folder`);
  }
  return (
    <ProblemLine path="nginx.files" label="Files">
      {files.map((item, index) => {
        const path = `nginx.files.${index}`;
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: file sets are known by their place
          <div key={index} className={classes.fileRow} data-field={path}>
            <TextField path={`${path}.folder`} label="Folder" code />
            <NumberField path={`${path}.count`} label="Files" />
            <NumberField path={`${path}.size_bytes`} label="Size of each" unit="B" />
            <NumberField path={`${path}.seed`} label="Seed" />
            <RowActions
              what={`files ${item.folder}`}
              path="nginx.files"
              index={index}
              count={files.length}
              onRemove={() => remove(index)}
            />
            <div className={classes.fileNote}>
              <SwitchField
                path={`${path}.cold`}
                label="Cold"
                change={(draft, cold) => ({ ...draft, nginx: withCold(draft.nginx, index, cold) })}
              />
              <Text size="xs" c="var(--text-dim)">
                Served as /{item.folder}/0 to /{item.folder}/{Math.max(0, Number(item.count) - 1) || 0}
                {sizeOf(item) && `, ${sizeOf(item)} in all`}
              </Text>
            </div>
          </div>
        );
      })}
      {isCold && <ColdFilesFields />}
      <Button
        variant="subtle"
        color="gray"
        size="compact-xs"
        leftSection={<IconPlus size={12} />}
        onClick={add}
      >
        Add files to serve
      </Button>
    </ProblemLine>
  );
}
