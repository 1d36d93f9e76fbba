import { t } from '@lingui/core/macro';
import { Button, Group, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useHosts } from '@/api/useHosts';
import { EmptyState } from '@/components/ui/EmptyState';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { ProblemLine, Section } from '../../fields/Section';
import { factorOfBuilds } from '../../model/draft/buildsDraft';
import { addFactor, insertFactor } from '../../model/structure';
import { FactorEditor } from './FactorEditor';

/** Adds a factor of any kind, or one whose levels are builds of nginx. */
function AddFactor({ count }: { count: number }) {
  const store = useStore();
  function add() {
    store.change(addFactor);
    focusSoon(`factors.${count}.label`);
  }
  const { data: hosts } = useHosts();
  function addBuilds() {
    store.change((draft) => insertFactor(draft, factorOfBuilds(hosts ?? [], draft.factors)));
    focusSoon(`factors.${count}.label`);
  }
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
        {t`Add factor`}
      </Button>
      <Button variant="default" onClick={addBuilds}>
        {t`Compare nginx builds`}
      </Button>
    </Group>
  );
}

const NAME = '{{ name }}';

export function FactorsSection() {
  const count = useDraft((draft) => draft.factors.length);
  const button = <AddFactor count={count} />;
  return (
    <Section
      id="factors"
      note={t`What the experiment varies. Each level sets variables, which nginx and the streams use as ${NAME}; a value may be a whole block of configuration.`}
      actions={count > 0 ? button : undefined}
    >
      <ProblemLine path="factors" label={t`Factors`}>
        {count === 0 ? (
          <EmptyState title={t`No factors yet`} action={button}>
            {t`Without factors, the experiment has one arm: a plain measurement. With factors, every combination of levels is an arm.`}
          </EmptyState>
        ) : (
          <Stack gap="md">
            {Array.from({ length: count }, (_, index) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: factors are known by their place
              <FactorEditor key={index} index={index} count={count} />
            ))}
          </Stack>
        )}
      </ProblemLine>
    </Section>
  );
}
