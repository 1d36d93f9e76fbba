import { t } from '@lingui/core/macro';
import { Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import { useHosts } from '@/api/hosts';
import { EmptyState } from '@/components/ui/EmptyState';
import { useDraft } from '../../designerContext';
import { List, useAdd } from '../../fields/List';
import { Section } from '../../fields/Section';
import { factorOfBuilds } from '../../model/draft/buildsDraft';
import type { DraftFactor } from '../../model/draft/draft';
import { newFactor, withFactors } from '../../model/structure';
import { renameFactorWithVariable } from '../../model/variables';
import classes from './factors.module.css';
import { LevelTable } from './LevelTable';
import { Names } from './Names';

const FACTORS = { path: 'factors', create: newFactor, change: withFactors };

interface AddProps {
  keys?: ReactNode;
}

/** Adds a factor of any kind, or one whose levels are builds of nginx. */
function AddFactor({ keys }: AddProps) {
  const { data: hosts } = useHosts();
  const add = useAdd(FACTORS);
  const addBuilds = useAdd<DraftFactor>({ ...FACTORS, create: (all) => factorOfBuilds(hosts ?? [], all) });
  return (
    <Group gap="xs">
      <Button variant="default" leftSection={<IconPlus size={14} />} onClick={add}>
        {t`Add factor`}
      </Button>
      <Button variant="default" onClick={addBuilds}>
        {t`Compare nginx builds`}
      </Button>
      {keys}
    </Group>
  );
}

const NAME = '{{ name }}';

export function FactorsSection() {
  const isEmpty = useDraft((draft) => draft.factors.length === 0);
  const [hasKeys, setKeys] = useState(false);
  const keys = (
    <Button variant="subtle" color="gray" aria-pressed={hasKeys} onClick={() => setKeys(!hasKeys)}>
      {hasKeys ? t`Hide keys` : t`Show keys`}
    </Button>
  );
  return (
    <Section
      id="factors"
      note={t`What the experiment varies. Each level sets variables, which nginx and the streams use as ${NAME}; a value may be a whole block of configuration. Cells of a spreadsheet can be pasted.`}
      actions={isEmpty ? undefined : <AddFactor keys={keys} />}
    >
      <List<DraftFactor>
        {...FACTORS}
        label={t`Factors`}
        nameOf={({ label }) => t`factor ${label}`}
        titleOf={({ label }) => t`Factor ${label}`}
        row={classes.factorHead}
        ordered
        none={
          <EmptyState title={t`No factors yet`} action={<AddFactor />}>
            {t`Without factors, the experiment has one arm: a plain measurement. With factors, every combination of levels is an arm.`}
          </EmptyState>
        }
        below={({ label, levels }, { index }) => (
          <LevelTable
            {...{ factor: index, label, hasKeys, hasBuilds: levels.some(({ build }) => build !== null) }}
          />
        )}
      >
        {(_, { path, index }) => (
          <Names
            path={path}
            labels={[t`Factor`, t`Key`]}
            hideKey={!hasKeys}
            rename={(draft, naming) => renameFactorWithVariable(draft, index, naming)}
          />
        )}
      </List>
    </Section>
  );
}
