import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Autocomplete, Button, Group, Stack } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { memo, useCallback } from 'react';
import { useHosts } from '@/api/hosts';
import { EmptyState } from '@/components/ui/EmptyState';
import { textOfProblems, useDraft, useField, useStore, useValue } from '../designerContext';
import { focusSoon } from '../fieldRegistry';
import { KeyField, TextField } from '../fields/inputs';
import { PairsField } from '../fields/PairsField';
import { AddButton, RowActions } from '../fields/RowActions';
import { ProblemLine, Section } from '../fields/Section';
import { factorOfBuilds } from '../model/draft/buildsDraft';
import type { Draft } from '../model/draft/draft';
import { withValue } from '../model/paths';
import {
  addFactor,
  addLevel,
  insertFactor,
  moveFactor,
  moveLevel,
  removeFactor,
  removeLevel,
  renameFactor,
  renameLevel,
} from '../model/structure';
import classes from './FactorEditor.module.css';
import items from './items.module.css';

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

interface HeadProps {
  index: number;
  count: number;
  label: string;
}

function FactorHead({ index, count, label }: HeadProps) {
  const store = useStore();
  const path = `factors.${index}`;
  const relabel = useCallback(
    (draft: Draft, text: string) => renameFactor(draft, index, { label: text }),
    [index],
  );
  const rekey = useCallback((draft: Draft, key: string) => renameFactor(draft, index, { key }), [index]);
  return (
    <div className={classes.factorHead}>
      <TextField path={`${path}.label`} label={t`Factor`} change={relabel} maxLength={120} />
      <KeyField path={`${path}.key`} label={t`Key`} rename={rekey} />
      <RowActions
        what={t`factor ${label}`}
        path="factors"
        index={index}
        count={count}
        onMove={(by) => store.change((draft) => moveFactor(draft, index, by))}
        onRemove={() => store.change((draft) => removeFactor(draft, index))}
      />
    </div>
  );
}

/** One factor with its levels. */
const FactorEditor = memo(function FactorEditor({ index, count }: { index: number; count: number }) {
  const store = useStore();
  const path = `factors.${index}`;
  const label = useDraft((draft) => draft.factors[index]?.label ?? '');
  const levels = useDraft((draft) => draft.factors[index]?.levels.length ?? 0);
  const hasBuilds = useDraft((draft) => draft.factors[index]?.levels.some(({ build }) => build !== null));
  function add() {
    store.change((draft) => addLevel(draft, index));
    focusSoon(`${path}.levels.${levels}.label`);
  }
  return (
    <fieldset className={items.factor} data-field={path}>
      <legend className="visually-hidden">{t`Factor ${label}`}</legend>
      <FactorHead index={index} count={count} label={label} />
      <ProblemLine path={`${path}.levels`} label={t`Levels of ${label}`}>
        <div className={classes.levelHead} aria-hidden>
          <span>{t`Level`}</span>
          <span>{t`Key`}</span>
          <span>{hasBuilds ? t`Build and variables` : t`Variables`}</span>
        </div>
        {Array.from({ length: levels }, (_, level) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: levels are known by their place
          <LevelRow key={level} factor={index} index={level} count={levels} />
        ))}
      </ProblemLine>
      <AddButton onClick={add}>
        <Trans>
          Add level<span className="visually-hidden"> to {label}</span>
        </Trans>
      </AddButton>
    </fieldset>
  );
});

interface LevelProps {
  factor: number;
  index: number;
  count: number;
}

interface ContentProps {
  path: string;
  of: string;
  hasBuild: boolean | undefined;
}

/** What a level sets: the build that its arms run, and variables. */
function LevelContent({ path, of, hasBuild }: ContentProps) {
  return (
    <div>
      {hasBuild && <BuildField path={`${path}.build`} label={t`Build of ${of}`} />}
      <PairsField path={`${path}.variables`} kind="variable" of={of} />
    </div>
  );
}

const LevelRow = memo(function LevelRow({ factor, index, count }: LevelProps) {
  const store = useStore();
  const number = index + 1;
  const list = `factors.${factor}.levels`;
  const path = `${list}.${index}`;
  const label = useDraft((draft) => draft.factors[factor]?.levels[index]?.label ?? '');
  const hasBuilds = useDraft((draft) => draft.factors[factor]?.levels.some(({ build }) => build !== null));
  const relabel = useCallback(
    (draft: Draft, text: string) => renameLevel(draft, factor, index, { label: text }),
    [factor, index],
  );
  const rekey = useCallback(
    (draft: Draft, key: string) => renameLevel(draft, factor, index, { key }),
    [factor, index],
  );
  return (
    <div className={classes.level} data-field={path}>
      <TextField
        path={`${path}.label`}
        label={t`Level ${number}`}
        hideLabel
        change={relabel}
        size="xs"
        maxLength={120}
      />
      <KeyField path={`${path}.key`} label={t`Key of level ${label}`} hideLabel rename={rekey} />
      <LevelContent path={path} of={label || t`level ${number}`} hasBuild={hasBuilds} />
      <RowActions
        what={t`level ${label}`}
        path={list}
        index={index}
        count={count}
        least={1}
        onMove={(by) => store.change((draft) => moveLevel(draft, factor, index, by))}
        onRemove={() => store.change((draft) => removeLevel(draft, factor, index))}
      />
    </div>
  );
});

/** Which nginx the arms of a level run: a name that a host's binary answers to, or any that a run then binds. */
function BuildField({ path, label }: { path: string; label: string }) {
  const store = useStore();
  const value = useValue<string | null>(path) ?? '';
  const problems = useField(path, label);
  const { data: hosts } = useHosts();
  const names = new Set((hosts ?? []).flatMap(({ nginx }) => nginx.map(({ name }) => name)));
  return (
    <Autocomplete
      data-field={path}
      aria-label={label}
      placeholder={t`Build, such as nginx-1.22.1`}
      size="xs"
      mb={4}
      maxLength={100}
      spellCheck={false}
      data={[...names].filter((name) => !name.includes('/'))}
      value={value}
      error={textOfProblems(problems)}
      onChange={(text) => store.change((draft) => withValue(draft, path, text), path)}
    />
  );
}
