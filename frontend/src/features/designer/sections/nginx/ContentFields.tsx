import { t } from '@lingui/core/macro';
import { NativeSelect, SimpleGrid } from '@mantine/core';
import { useStore } from '../../designerContext';
import { AddButton } from '../../fields/AddButton';
import { ChoiceField } from '../../fields/ChoiceField';
import { NumberField } from '../../fields/NumberField';
import { RowActions } from '../../fields/RowActions';
import { type DraftFiles, withContent, withSizes } from '../../model/draft/serverDraft';
import { withChange } from '../../model/paths';
import classes from './FilesEditor.module.css';

interface Props {
  item: DraftFiles;
  path: string;
}

const contents = () => [
  { value: 'random', label: t`random bytes` },
  { value: 'text', label: t({ message: 'text', context: 'content of files' }) },
  { value: 'json', label: 'JSON' },
  { value: 'html', label: 'HTML' },
];

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
          <NumberField path={`${path}.sizes.sizes.${index}.size_bytes`} label={t`Size`} unit="B" />
          <NumberField path={`${path}.sizes.sizes.${index}.weight`} label={t`Weight`} />
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

function SpreadFields({ item: { sizes }, path }: Props) {
  if (sizes?.kind === 'uniform')
    return (
      <>
        <NumberField path={`${path}.sizes.min_bytes`} label={t`Smallest`} unit="B" />
        <NumberField path={`${path}.sizes.max_bytes`} label={t`Largest`} unit="B" />
      </>
    );
  if (sizes?.kind === 'lognormal')
    return (
      <>
        <NumberField path={`${path}.sizes.median_bytes`} label={t`Median`} unit="B" />
        <NumberField path={`${path}.sizes.sigma`} label={t`Sigma`} />
        <NumberField path={`${path}.sizes.max_bytes`} label={t`Largest`} unit="B" />
      </>
    );
  return null;
}

/** What the files contain, and how their sizes are distributed. */
export function ContentFields({ item, path }: Props) {
  const change = useChange(path);
  return (
    <div className={classes.content}>
      <SimpleGrid cols={{ base: 2, xs: 5 }} spacing="sm">
        <ChoiceField
          path={`${path}.content`}
          label={t`Content`}
          options={contents()}
          change={(draft, content) =>
            withChange<typeof draft, DraftFiles>(draft, path, (files) =>
              withContent(files, content as DraftFiles['content']),
            )
          }
        />
        {item.content === 'text' && (
          <NumberField path={`${path}.compression_ratio`} label={t`gzip ratio`} optional />
        )}
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
        <SpreadFields item={item} path={path} />
      </SimpleGrid>
      <ListedSizes item={item} path={path} />
    </div>
  );
}
