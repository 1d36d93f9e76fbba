import { t } from '@lingui/core/macro';
import { NativeSelect, SimpleGrid, Text } from '@mantine/core';
import { formatBytes } from '@/lib/format';
import { useDraft, useStore, useValue } from '../../designerContext';
import { Field, Fields, Row } from '../../fields/Field';
import { AddButton, RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import {
  blankFiles,
  type DraftCold,
  type DraftFiles,
  withCold,
  withColdMethod,
  withContent,
  withoutFiles,
  withSizes,
} from '../../model/draft/serverDraft';
import { uniqueKey } from '../../model/draft/values';
import { withChange } from '../../model/paths';
import { type Place, useItems } from '../ItemsSection';
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
      <Field
        of="FileSet.cold"
        at={`${PATH}.${index}`}
        change={(draft, cold: boolean) => ({ ...draft, nginx: withCold(draft.nginx, index, cold) })}
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
      <Field of="FileSet.folder" at={path} />
      <Field of="FileSet.count" at={path} />
      {item.sizes === null && <Field of="FileSet.size_bytes" at={path} optional={false} />}
      <Field of="FileSet.seed" at={path} />
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

interface Props {
  item: DraftFiles;
  path: string;
}

const spreads = () => [
  { value: 'fixed', label: t`all the same` },
  { value: 'uniform', label: t`uniform` },
  { value: 'lognormal', label: t`log-normal` },
  { value: 'list', label: t`list with weights` },
];

type SizesKind = Parameters<typeof withSizes>[1];

/** Changes the set of files at `path`. */
function useChange(path: string) {
  const store = useStore();
  return (change: (files: DraftFiles) => DraftFiles) =>
    store.change((draft) => withChange<typeof draft, DraftFiles>(draft, path, change));
}

const sizeName = (number: number) => t`size ${number}`;

function ListedSizes({ item: { sizes }, path }: Props) {
  const change = useChange(path);
  if (sizes?.kind !== 'list') return null;
  const rows = sizes.sizes;
  const replace = (next: typeof rows) => change((files) => ({ ...files, sizes: { ...sizes, sizes: next } }));
  return (
    <div className={classes.fileNote}>
      {rows.map((_, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: sizes are known by their place
        <div key={index} className={classes.sizeRow}>
          <Fields of="WeightedSize" at={`${path}.sizes.sizes.${index}`} />
          <RowActions
            what={sizeName(index + 1)}
            path={`${path}.sizes.sizes`}
            index={index}
            count={rows.length}
            least={1}
            onRemove={() => replace(rows.filter((__, place) => place !== index))}
          />
        </div>
      ))}
      <AddButton onClick={() => replace([...rows, { size_bytes: 4096, weight: 1 }])}>{t`Add size`}</AddButton>
    </div>
  );
}

/** What the files contain, and how their sizes are distributed. */
function ContentFields({ item, path }: Props) {
  const change = useChange(path);
  return (
    <div className={classes.content}>
      <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm">
        <Field
          of="FileSet.content"
          at={path}
          change={(draft, content: DraftFiles['content']) =>
            withChange<typeof draft, DraftFiles>(draft, path, (files) => withContent(files, content))
          }
        />
        {item.content === 'text' && <Field of="FileSet.compression_ratio" at={path} />}
        <NativeSelect
          label={t`Sizes`}
          size="sm"
          data={spreads()}
          value={item.sizes?.kind ?? 'fixed'}
          onChange={(event) => {
            const kind = event.currentTarget.value as SizesKind;
            change((files) => withSizes(files, kind));
          }}
        />
        {item.sizes?.kind === 'uniform' && <Fields of="UniformSizes" at={`${path}.sizes`} />}
        {item.sizes?.kind === 'lognormal' && <Fields of="LogNormalSizes" at={`${path}.sizes`} />}
      </SimpleGrid>
      <ListedSizes item={item} path={path} />
    </div>
  );
}

const COLD = 'nginx.cold_files';

const note = (method: DraftCold['method']) =>
  method === 'throttle'
    ? t`The files are on a loop device with limited read speed. This requires root on the host. ngxlab measures whether data came from the disk.`
    : t`The agent repeatedly evicts the files from the page cache. This works without root. ngxlab measures whether data came from the disk.`;

/** How the files marked cold are kept out of the page cache. */
function ColdFilesFields() {
  const method = useValue<DraftCold['method']>(`${COLD}.method`);
  return (
    <ProblemLine path={COLD} label={t`Cold files`}>
      <Row>
        <Field
          of="ColdFiles.method"
          at={COLD}
          change={(draft, next: DraftCold['method']) =>
            withChange<typeof draft, DraftCold>(draft, COLD, (cold) => withColdMethod(cold, next))
          }
        />
        <Field of="ColdFiles.evict_every_ms" at={COLD} />
        {method === 'throttle' && <Field of="ColdFiles.read_bytes_per_s" at={COLD} />}
        {method === 'throttle' && <Field of="ColdFiles.read_ops_per_s" at={COLD} />}
      </Row>
      <Text size="xs" c="var(--text-dim)" mt={6} mb="xs">
        {note(method)}
      </Text>
    </ProblemLine>
  );
}
