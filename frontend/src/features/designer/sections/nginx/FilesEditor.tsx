import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import { formatBytes } from '@/lib/format';
import { useDraft, useStore } from '../../designerContext';
import { AddButton } from '../../fields/AddButton';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { SwitchField } from '../../fields/SwitchField';
import { TextField } from '../../fields/TextField';
import { blankFiles, type DraftFiles, withCold, withoutFiles } from '../../model/draft/serverDraft';
import { uniqueKey } from '../../model/draft/values';
import { type Place, useItems } from '../../useItems';
import { ColdFilesFields } from './ColdFilesFields';
import { ContentFields } from './ContentFields';
import classes from './FilesEditor.module.css';

const PATH = 'nginx.files';

function sizeOf({ count, size_bytes, sizes }: DraftFiles): string | null {
  if (sizes) return null;
  const total = Number(count) * Number(size_bytes);
  return Number.isFinite(total) && total > 0 ? formatBytes(total) : null;
}

function nextFiles(all: readonly DraftFiles[]): DraftFiles {
  const folders = all.map((item) => item.folder);
  return blankFiles(uniqueKey('files', folders));
}

function FileNote({ item, index }: { item: DraftFiles; index: number }) {
  const size = sizeOf(item);
  const { folder } = item;
  const last = Math.max(0, Number(item.count) - 1) || 0;
  return (
    <div className={classes.fileNote}>
      <SwitchField
        path={`${PATH}.${index}.cold`}
        label={t({ message: 'Cold', context: 'files' })}
        change={(draft, cold) => ({ ...draft, nginx: withCold(draft.nginx, index, cold) })}
      />
      <Text size="xs" c="var(--text-dim)">
        {size
          ? t`Served as /${folder}/0 to /${folder}/${last}, ${size} in total`
          : t`Served as /${folder}/0 to /${folder}/${last}`}
      </Text>
    </div>
  );
}

function FilesRow({ item, place: { index, count } }: { item: DraftFiles; place: Place }) {
  const store = useStore();
  const path = `${PATH}.${index}`;
  const { folder } = item;
  const remove = () =>
    store.change(({ nginx, ...draft }) => ({ ...draft, nginx: withoutFiles(nginx, index) }));
  return (
    <div className={classes.fileRow} data-field={path}>
      <TextField path={`${path}.folder`} label={t`Folder`} code />
      <NumberField path={`${path}.count`} label={t({ message: 'Files', context: 'number' })} />
      {item.sizes === null && <NumberField path={`${path}.size_bytes`} label={t`Size of each`} unit="B" />}
      <NumberField path={`${path}.seed`} label={t`Seed`} />
      <RowActions what={t`files ${folder}`} path={PATH} index={index} count={count} onRemove={remove} />
      <ContentFields item={item} path={path} />
      <FileNote item={item} index={index} />
    </div>
  );
}

/** Files that are made for the trial, to be served. */
export function FilesEditor() {
  const files = useDraft((draft) => draft.nginx.files);
  const isCold = useDraft((draft) => draft.nginx.cold_files !== null);
  const { places, add } = useItems<DraftFiles>(PATH, nextFiles, 'folder');
  return (
    <ProblemLine path={PATH} label={t`Files`}>
      {files.map((item, index) => {
        const place = places[index];
        // biome-ignore lint/suspicious/noArrayIndexKey: file sets are known by their place
        return place && <FilesRow key={index} item={item} place={place} />;
      })}
      {isCold && <ColdFilesFields />}
      <AddButton onClick={add}>{t`Add files to serve`}</AddButton>
    </ProblemLine>
  );
}
