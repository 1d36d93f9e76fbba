import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Autocomplete, Button, Group } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { memo } from 'react';
import { useHosts } from '@/api/hosts';
import { EmptyState } from '@/components/ui/EmptyState';
import { useDraft } from '../designerContext';
import { KeyField, TextField, useInput } from '../fields/inputs';
import { List, useAdd } from '../fields/List';
import { PairsField } from '../fields/PairsField';
import { Section } from '../fields/Section';
import { factorOfBuilds } from '../model/draft/buildsDraft';
import type { Draft, DraftFactor, DraftLevel } from '../model/draft/draft';
import {
  type Naming,
  newFactor,
  nextLevel,
  renameFactor,
  renameLevel,
  withFactors,
  withLevels,
} from '../model/structure';
import classes from './FactorEditor.module.css';

const FACTORS = { path: 'factors', create: newFactor, change: withFactors };

/** Adds a factor of any kind, or one whose levels are builds of nginx. */
function AddFactor() {
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
    </Group>
  );
}

const NAME = '{{ name }}';

export function FactorsSection() {
  const isEmpty = useDraft((draft) => draft.factors.length === 0);
  return (
    <Section
      id="factors"
      note={t`What the experiment varies. Each level sets variables, which nginx and the streams use as ${NAME}; a value may be a whole block of configuration.`}
      actions={isEmpty ? undefined : <AddFactor />}
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
          <Levels factor={index} label={label} hasBuilds={levels.some(({ build }) => build !== null)} />
        )}
      >
        {(_, { path, index }) => (
          <Names
            path={path}
            labels={[t`Factor`, t`Key`]}
            rename={(draft, naming) => renameFactor(draft, index, naming)}
          />
        )}
      </List>
    </Section>
  );
}

interface NamesProps {
  path: string;
  labels: readonly [label: string, key: string];
  hideLabel?: boolean;
  rename: (draft: Draft, naming: Naming) => Draft;
}

/** What a factor or a level is called, and the key by which others name it. */
function Names({ path, labels: [label, key], hideLabel, rename }: NamesProps) {
  return (
    <>
      <TextField
        path={`${path}.label`}
        label={label}
        hideLabel={hideLabel}
        change={(draft, text) => rename(draft, { label: text })}
        size={hideLabel ? 'xs' : undefined}
        maxLength={120}
      />
      <KeyField
        path={`${path}.key`}
        label={key}
        hideLabel={hideLabel}
        change={(draft, text) => rename(draft, { key: text })}
      />
    </>
  );
}

interface LevelsProps {
  factor: number;
  label: string;
  hasBuilds: boolean;
}

/** The levels of a factor: names, the build that their arms run, and variables. */
const Levels = memo(function Levels({ factor, label, hasBuilds }: LevelsProps) {
  return (
    <div>
      <div className={classes.levelHead} aria-hidden>
        <span>{t`Level`}</span>
        <span>{t`Key`}</span>
        <span>{hasBuilds ? t`Build and variables` : t`Variables`}</span>
      </div>
      <List<DraftLevel>
        path={`factors.${factor}.levels`}
        label={t`Levels of ${label}`}
        nameOf={({ label }) => t`level ${label}`}
        row={classes.level}
        create={nextLevel}
        change={(draft, how) => withLevels(draft, factor, how)}
        least={1}
        ordered
        adds={
          <Trans>
            Add level<span className="visually-hidden"> to {label}</span>
          </Trans>
        }
      >
        {({ label }, { path, index }) => <LevelFields {...{ factor, index, path, label, hasBuilds }} />}
      </List>
    </div>
  );
});

interface LevelProps extends LevelsProps {
  index: number;
  path: string;
}

function LevelFields({ factor, index, path, label, hasBuilds }: LevelProps) {
  const number = index + 1;
  const of = label || t`level ${number}`;
  return (
    <>
      <Names
        path={path}
        labels={[t`Level ${number}`, t`Key of level ${label}`]}
        hideLabel
        rename={(draft, naming) => renameLevel(draft, factor, index, naming)}
      />
      <div>
        {hasBuilds && <BuildField path={`${path}.build`} label={t`Build of ${of}`} />}
        <PairsField path={`${path}.variables`} kind="variable" of={of} />
      </div>
    </>
  );
}

/** Which nginx the arms of a level run: a name that a host's binary answers to, or any that a run then binds. */
function BuildField({ path, label }: { path: string; label: string }) {
  const { value, put, element } = useInput<string | null>({ path, label, hideLabel: true });
  const { data: hosts } = useHosts();
  const names = new Set((hosts ?? []).flatMap(({ nginx }) => nginx.map(({ name }) => name)));
  return (
    <Autocomplete
      {...element}
      placeholder={t`Build, such as nginx-1.22.1`}
      size="xs"
      mb={4}
      maxLength={100}
      spellCheck={false}
      data={[...names].filter((name) => !name.includes('/'))}
      value={value ?? ''}
      onChange={(text) => put(text, path)}
    />
  );
}
