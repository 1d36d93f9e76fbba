import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { Fragment, type ReactNode } from 'react';
import { ProblemLine, Section } from '../fields/Section';
import type { SECTIONS } from '../model/problems';
import type { Items, Place } from '../useItems';

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
