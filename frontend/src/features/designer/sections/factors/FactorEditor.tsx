import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { memo, useCallback } from 'react';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { AddButton } from '../../fields/AddButton';
import { KeyField } from '../../fields/KeyField';
import { PairsField } from '../../fields/PairsField';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import type { Draft } from '../../model/draft/draft';
import {
  addLevel,
  moveFactor,
  moveLevel,
  removeFactor,
  removeLevel,
  renameFactor,
  renameLevel,
} from '../../model/structure';
import items from '../items.module.css';
import { BuildField } from './BuildField';
import classes from './FactorEditor.module.css';

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
export const FactorEditor = memo(function FactorEditor({ index, count }: { index: number; count: number }) {
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
