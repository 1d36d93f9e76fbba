import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { useDraft, useStore } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import { ProblemLine, Section } from '../fields/Section';
import type { Draft } from '../model/draft/draft';
import { moved, valueAt, withChange } from '../model/paths';
import type { SECTIONS } from '../model/problems';

interface Props<T> {
  id: (typeof SECTIONS)[number]['id'];
  label: string;
  /** On the button that adds one. */
  adds: string;
  note: string;
  /** Said where there is none. */
  none?: string;
  items: Items<T>;
  /** The editor of the item at a place. */
  children: (place: Place) => ReactNode;
}

/** A section of the form that is a list: an editor for each item, and a button that adds one. */
export function ItemsSection<T>({ id, label, adds, note, none, items, children }: Props<T>) {
  return (
    <Section
      id={id}
      note={note}
      actions={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={items.add}>
          {adds}
        </Button>
      }
    >
      <ProblemLine path={items.path} label={label}>
        {none && items.places.length === 0 && (
          <Text size="sm" c="var(--text-dim)">
            {none}
          </Text>
        )}
        <Stack gap="md">
          {items.places.map((place) => (
            <Fragment key={place.index}>{children(place)}</Fragment>
          ))}
        </Stack>
      </ProblemLine>
    </Section>
  );
}

/** The place of an item in its list, and what can be done with it there. */
export interface Place {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}

export interface Items<T> {
  path: string;
  places: readonly Place[];
  /** Adds a new item at the end, and puts the cursor there. */
  add: () => void;
  put: (change: (items: T[]) => T[]) => void;
}

/** A list of the draft, at `path`. The cursor of a new item goes to its `firstField`, or to the item itself. */
export function useItems<T>(
  path: string,
  create: (items: readonly T[], draft: Draft) => T,
  firstField = '',
): Items<T> {
  const store = useStore();
  const count = useDraft((draft) => (valueAt(draft, path) as T[] | undefined)?.length ?? 0);
  const change = (how: (items: T[], draft: Draft) => T[]) =>
    store.change((draft) => withChange<Draft, T[]>(draft, path, (items) => how(items, draft)));
  function add() {
    change((items, draft) => [...items, create(items, draft)]);
    focusSoon([path, count, firstField].filter((part) => part !== '').join('.'));
  }
  const places = Array.from({ length: count }, (_, index) => ({
    index,
    count,
    onMove: (by: number) => change((items) => moved(items, index, by)),
    onRemove: () => change((items) => items.filter((_item, place) => place !== index)),
  }));
  return { path, places, add, put: change };
}
