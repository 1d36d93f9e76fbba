import { Button, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { ProblemLine, Section } from '../../fields/Section';
import { blankPerturbation, type DraftPerturbation } from '../../model/draft/perturbationDraft';
import { uniqueKey } from '../../model/draft/values';
import { moved, withValue } from '../../model/paths';
import { PerturbationEditor } from './PerturbationEditor';

export function PerturbationsSection() {
  const store = useStore();
  const count = useDraft((draft) => draft.perturbations.length);
  const put = (change: (all: DraftPerturbation[]) => DraftPerturbation[]) =>
    store.change((draft) => withValue(draft, 'perturbations', change(draft.perturbations)));
  const freeKey = (all: readonly DraftPerturbation[], wanted: string) =>
    uniqueKey(
      wanted,
      all.map(({ key }) => key),
    );
  function add() {
    put((all) => [...all, blankPerturbation(freeKey(all, 'reload'))]);
    focusSoon(`perturbations.${count}.key`);
  }
  function duplicate(index: number) {
    put((all) =>
      all.flatMap((one, place) => (place === index ? [one, { ...one, key: freeKey(all, one.key) }] : [one])),
    );
    focusSoon(`perturbations.${index + 1}.key`);
  }
  return (
    <Section
      id="perturbations"
      note="Actions during a trial. Times are seconds of the measured window; each action is marked on every chart."
      actions={
        <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
          Add perturbation
        </Button>
      }
    >
      <ProblemLine path="perturbations" label="Perturbations">
        {count === 0 && (
          <Text size="sm" c="var(--text-dim)">
            None: nothing happens but the load.
          </Text>
        )}
        <Stack gap="md">
          {Array.from({ length: count }, (_, index) => (
            <PerturbationEditor
              // biome-ignore lint/suspicious/noArrayIndexKey: perturbations are known by their place
              key={index}
              index={index}
              count={count}
              onMove={(by) => put((all) => moved(all, index, by))}
              onDuplicate={() => duplicate(index)}
              onRemove={() => put((all) => all.filter((_, place) => place !== index))}
            />
          ))}
        </Stack>
      </ProblemLine>
    </Section>
  );
}
