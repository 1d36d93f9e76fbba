import { t } from '@lingui/core/macro';
import { ActionIcon, Button, Group, Stack } from '@mantine/core';
import { IconArrowDown, IconArrowUp, IconCopy, IconPlus, IconX } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { useDraft, useStore, useValue } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import type { Draft } from '../model/draft/draft';
import { moved, valueAt, withChange } from '../model/paths';
import classes from './List.module.css';
import { Note, ProblemLine, Section, type SectionId } from './Section';

export interface Added<T> {
  path: string;
  create: (items: readonly T[], draft: Draft) => T;
  /** Where a change is more than the list itself. */
  change?: (draft: Draft, how: (items: T[]) => T[]) => Draft;
}

interface Place {
  path: string;
  /** From 0. */
  index: number;
  /** From 1. */
  number: number;
}

export interface ListProps<T> extends Added<T> {
  /** What the list is called where something is wrong with it. */
  label: string;
  /** What one is called where it is moved or removed. */
  nameOf: (item: T, number: number) => string;
  /** What frames have as titles, for those who do not see them. Without it there is no frame. */
  titleOf?: (item: T, number: number) => string;
  /** The fields of an item, beside its buttons. */
  children: (item: T, place: Place) => ReactNode;
  /** What stands below these. */
  below?: (item: T, place: Place) => ReactNode;
  /** How the fields and the buttons stand beside each other. */
  row: string | undefined;
  /** Shown above the items, below the label as a title. */
  intro?: ReactNode;
  /** On the button that adds one; some lists have it elsewhere. */
  adds?: ReactNode;
  /** Beside that button. */
  beside?: ReactNode;
  /** Said where there is none. */
  none?: ReactNode;
  /** Fewer are not possible. */
  least?: number;
  /** Whether the order means something. */
  ordered?: boolean;
  /** Another one like it; without it there is no button. */
  copy?: (item: T, items: readonly T[]) => T;
}

const changed = <T,>({ path, change }: Added<T>, draft: Draft, how: (items: T[]) => T[]) =>
  change?.(draft, how) ?? withChange<Draft, T[]>(draft, path, how);

const countOf = (draft: Draft, path: string) => (valueAt(draft, path) as unknown[] | undefined)?.length ?? 0;

/** Adds an item at the end of a list, and puts the cursor there. */
export function useAdd<T>(list: Added<T>): () => void {
  const store = useStore();
  const { path, create } = list;
  return () => {
    const place = countOf(store.draft, path);
    store.change((draft) => changed(list, draft, (items) => [...items, create(items, draft)]));
    focusSoon(`${path}.${place}`);
  };
}

/** A list of the draft: its items with their buttons, and one that adds another. */
export function List<T>(list: ListProps<T>) {
  const { path, label, titleOf, intro, adds, beside, none } = list;
  const count = useDraft((draft) => countOf(draft, path));
  const add = useAdd(list);
  return (
    <ProblemLine path={path} label={label} title={intro ? label : undefined}>
      {intro}
      {count === 0 && none}
      <Stack gap={titleOf ? 'md' : 6}>
        {Array.from({ length: count }, (_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: items are known by their place
          <Item key={index} list={list} index={index} count={count} />
        ))}
      </Stack>
      <Group gap="xs">
        {adds && (
          <Button
            variant="subtle"
            color="gray"
            size="compact-xs"
            leftSection={<IconPlus size={12} />}
            onClick={add}
          >
            {adds}
          </Button>
        )}
        {beside}
      </Group>
    </ProblemLine>
  );
}

interface SectionProps<T> extends ListProps<T> {
  id: SectionId;
  note: string;
  adds: string;
}

/** A section of the form that is a list. */
export function ListSection<T>({ id, note, adds, none, ...list }: SectionProps<T>) {
  const add = useAdd(list);
  const button = (
    <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
      {adds}
    </Button>
  );
  return (
    <Section id={id} note={note} actions={button}>
      <List {...list} none={none && <Note size="sm">{none}</Note>} />
    </Section>
  );
}

interface ItemProps<T> {
  list: ListProps<T>;
  index: number;
  count: number;
}

function Item<T>(props: ItemProps<T>) {
  const { list, index } = props;
  const { path, titleOf, children, below, row } = list;
  const own = `${path}.${index}`;
  const item = useValue<T | undefined>(own);
  if (item === undefined) return null; // it is just being removed
  const place = { path: own, index, number: index + 1 };
  const content = (
    <>
      <div className={row}>
        {children(item, place)}
        <RowActions {...props} item={item} />
      </div>
      {below?.(item, place)}
    </>
  );
  if (!titleOf) return <div data-field={own}>{content}</div>;
  const title = titleOf(item, index + 1);
  return (
    <fieldset className={classes.frame} data-field={own}>
      <legend className="visually-hidden">{title}</legend>
      {content}
      <ProblemLine path={own} label={title} />
    </fieldset>
  );
}

type Act = [name: string, label: string, Icon: typeof IconX, isPossible: boolean, act: () => void];

/** Move up, move down, duplicate, remove. Moving ends at the ends of the list; the cursor stays with what was moved. */
function RowActions<T>({ list, index, count, item }: ItemProps<T> & { item: T }) {
  const store = useStore();
  const { path, least = 0, ordered, copy } = list;
  const what = list.nameOf(item, index + 1);
  const change = (how: (items: T[]) => T[]) => store.change((draft) => changed(list, draft, how));
  function move(by: number) {
    const target = index + by;
    if (target < 0 || target >= count) return;
    change((items) => moved(items, index, by));
    focusSoon(`${path}.${target}:${by < 0 ? 'up' : 'down'}`);
  }
  function duplicate() {
    change((items) =>
      items.flatMap((one, place) => (copy && place === index ? [one, copy(one, items)] : [one])),
    );
    focusSoon(`${path}.${index + 1}`);
  }
  function remove() {
    if (count <= least) return;
    change((items) => items.filter((_, place) => place !== index));
    focusSoon(count > 1 ? `${path}.${Math.max(0, index - 1)}:remove` : path);
  }
  const buttons: (Act | false | undefined)[] = [
    ordered && ['up', t`Move ${what} up`, IconArrowUp, index > 0, () => move(-1)],
    ordered && ['down', t`Move ${what} down`, IconArrowDown, index < count - 1, () => move(1)],
    copy && ['copy', t`Duplicate ${what}`, IconCopy, true, duplicate],
    ['remove', t`Remove ${what}`, IconX, count > least, remove],
  ];
  return (
    <div className={classes.rowActions}>
      {buttons
        .filter((button) => typeof button === 'object')
        .map(([act, label, Icon, isPossible, onClick]) => (
          <ActionIcon
            key={act}
            variant="subtle"
            color="gray"
            size="sm"
            data-field={`${path}.${index}:${act}`}
            aria-label={label}
            aria-disabled={!isPossible}
            onClick={onClick}
          >
            <Icon size={14} />
          </ActionIcon>
        ))}
    </div>
  );
}
