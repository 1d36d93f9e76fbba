import { t } from '@lingui/core/macro';
import { SimpleGrid } from '@mantine/core';
import { formatBytes } from '@/lib/format';
import { useDraft, useValue } from '../../designerContext';
import { Field, Fields, SectionFields } from '../../fields/Field';
import { ChoiceField } from '../../fields/inputs';
import { List } from '../../fields/List';
import { Note, ProblemLine } from '../../fields/Section';
import type { Draft } from '../../model/draft/draft';
import { blankFiles, type DraftFiles, withFiles, withSizes } from '../../model/draft/serverDraft';
import { uniqueKey } from '../../model/draft/values';
import { withChange } from '../../model/paths';
import { isServed, levelTexts, withLocation } from '../../model/served';
import classes from './FilesEditor.module.css';

/** Files that are made for the trial, to be served. */
export function FilesEditor() {
  const isCold = useDraft((draft) => draft.nginx.cold_files !== null);
  return (
    <>
      <List<DraftFiles>
        path="nginx.files"
        label={t`Files`}
        nameOf={({ folder }) => t`files ${folder}`}
        create={nextFiles}
        change={withServedFiles}
        row={classes.fileRow}
        adds={t`Add files to serve`}
        below={(item, { path }) => (
          <>
            <ContentFields item={item} path={path} />
            <div className={classes.fileNote}>
              <Field of="FileSet.cold" at={path} />
              <ServedAs item={item} />
            </div>
          </>
        )}
      >
        {(_, { path }) => <Fields of="FileSet" at={path} only={['folder', 'count', 'size_bytes', 'seed']} />}
      </List>
      {isCold && <ColdFilesFields />}
    </>
  );
}

function nextFiles(all: readonly DraftFiles[]): DraftFiles {
  const folders = all.map(({ folder }) => folder);
  return blankFiles(uniqueKey('files', folders));
}

/** Files that are added are served: the server gets a location for their folder, unless it has one. */
function withServedFiles(draft: Draft, how: (files: DraftFiles[]) => DraftFiles[]): Draft {
  const before = draft.nginx.files.map(({ folder }) => folder);
  const files = how(draft.nginx.files);
  const levels = levelTexts(draft);
  const nginx = files
    .filter(({ folder }) => !before.includes(folder))
    .reduce(
      (own, { folder }) => (isServed(own, folder, levels) ? own : withLocation(own, folder)),
      draft.nginx,
    );
  return { ...draft, nginx: withFiles(nginx, files) };
}

/** Under which paths requests find the files. */
function ServedAs({ item }: { item: DraftFiles }) {
  const served = useDraft((draft) => isServed(draft.nginx, item.folder, levelTexts(draft)));
  const { folder } = item;
  return <Note>{served ? servedAs(item) : t`No location serves /${folder}/ yet: see the warnings`}</Note>;
}

function servedAs({ folder, count, size_bytes, sizes }: DraftFiles): string {
  const last = Math.max(0, Number(count) - 1) || 0;
  const total = Number(count) * Number(size_bytes);
  const isKnown = sizes === null && Number.isFinite(total) && total > 0;
  const size = formatBytes(total);
  return isKnown
    ? t`Served as /${folder}/0 to /${folder}/${last}, ${size} in total`
    : t`Served as /${folder}/0 to /${folder}/${last}`;
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

/** What the files contain, and how their sizes are distributed. */
function ContentFields({ item: { sizes }, path }: Props) {
  const own = `${path}.sizes`;
  return (
    <div>
      <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm">
        <Fields of="FileSet" at={path} only={['content', 'compression_ratio']} />
        <ChoiceField
          path={own}
          label={t`Sizes`}
          chosen={sizes?.kind ?? 'fixed'}
          options={spreads()}
          change={(draft, kind) =>
            withChange<typeof draft, DraftFiles>(draft, path, (files) =>
              withSizes(files, kind as Parameters<typeof withSizes>[1]),
            )
          }
        />
        {sizes?.kind === 'uniform' && <Fields of="UniformSizes" at={own} />}
        {sizes?.kind === 'lognormal' && <Fields of="LogNormalSizes" at={own} />}
      </SimpleGrid>
      {sizes?.kind === 'list' && (
        <List
          path={`${own}.sizes`}
          label={t`Sizes`}
          nameOf={(_, number) => t`size ${number}`}
          create={() => ({ size_bytes: 4096, weight: 1 })}
          row={classes.sizeRow}
          least={1}
          adds={t`Add size`}
        >
          {(_, { path: at }) => <Fields of="WeightedSize" at={at} />}
        </List>
      )}
    </div>
  );
}

const COLD = 'nginx.cold_files';

/** How the files marked cold are kept out of the page cache. */
function ColdFilesFields() {
  const method = useValue<string>(`${COLD}.method`);
  return (
    <ProblemLine path={COLD} label={t`Cold files`}>
      <SectionFields of="ColdFiles" at={COLD} />
      <Note mt={6} mb="xs">
        {method === 'throttle'
          ? t`The files are on a loop device with limited read speed. This requires root on the host. ngxlab measures whether data came from the disk.`
          : t`The agent repeatedly evicts the files from the page cache. This works without root. ngxlab measures whether data came from the disk.`}
      </Note>
    </ProblemLine>
  );
}
