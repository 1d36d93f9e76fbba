import { Button, SimpleGrid, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { memo } from 'react';
import classes from '../designer.module.css';
import { useDraft, useStore } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import { ConfigField } from '../fields/ConfigField';
import { NumberField } from '../fields/NumberField';
import { RowActions } from '../fields/RowActions';
import { ProblemLine, Section } from '../fields/Section';
import { TextField } from '../fields/TextField';
import type { DraftBackend } from '../model/draft';
import { moved, withValue } from '../model/paths';
import { uniqueKey } from '../model/values';

export function BackendsSection() {
  const store = useStore();
  const count = useDraft((draft) => draft.backends.length);
  const put = (change: (backends: DraftBackend[]) => DraftBackend[]) =>
    store.change((draft) => withValue(draft, 'backends', change(draft.backends)));
  function add() {
    put((backends) => {
      const key = uniqueKey(
        'app',
        backends.map((backend) => backend.key),
      );
      return [
        ...backends,
        { key, slot: 'backend', instances: 1, server: 'location / {\n    return 200;\n}' },
      ];
    });
    focusSoon(`backends.${count}.key`);
  }
  return (
    <Section
      id="backends"
      note={
        'Upstream servers, each an nginx of its own. An upstream in http names them by {{ backend("KEY") }}.'
      }
      actions={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Add backend
        </Button>
      }
    >
      <ProblemLine path="backends" label="Backends">
        {count === 0 && (
          <Text size="sm" c="var(--text-dim)">
            None: nginx answers by itself.
          </Text>
        )}
        <Stack gap="md">
          {Array.from({ length: count }, (_, index) => (
            <BackendEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: backends are known by their place
              key={index}
              index={index}
              count={count}
              onMove={(by) => put((backends) => moved(backends, index, by))}
              onRemove={() => put((backends) => backends.filter((_, place) => place !== index))}
            />
          ))}
        </Stack>
      </ProblemLine>
    </Section>
  );
}

interface Props {
  index: number;
  count: number;
  onMove: (by: number) => void;
  onRemove: () => void;
}

const BackendEditor = memo(function BackendEditor({ index, count, onMove, onRemove }: Props) {
  const path = `backends.${index}`;
  const key = useDraft((draft) => draft.backends[index]?.key ?? '');
  return (
    <fieldset className={classes.factor} data-field={path}>
      <legend className="visually-hidden">Backend {key}</legend>
      <div className={classes.itemHead}>
        <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" className={classes.top}>
          <TextField path={`${path}.key`} label="Key" code />
          <TextField path={`${path}.slot`} label="Plays on slot" code />
          <NumberField path={`${path}.instances`} label="Instances" />
        </SimpleGrid>
        <RowActions what={`backend ${key}`} path="backends" {...{ index, count, onMove, onRemove }} />
      </div>
      <ConfigField path={`${path}.server`} label="server" minLines={3} />
    </fieldset>
  );
});
