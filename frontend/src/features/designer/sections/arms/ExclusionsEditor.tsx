import { t } from '@lingui/core/macro';
import { MultiSelect, Stack, Text } from '@mantine/core';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import { AddButton } from '../../fields/AddButton';
import { RowActions } from '../../fields/RowActions';
import { TextField } from '../../fields/TextField';
import type { Draft, DraftExclusion, DraftFactor } from '../../model/draft/draft';
import { withValue } from '../../model/paths';
import { type Place, useItems } from '../../useItems';
import classes from './matrix.module.css';

const PATH = 'design.exclude';
const NONE: readonly DraftExclusion[] = [];

/** A rule for the last level of every factor: one excluded combination, to begin with. */
const blankExclusion = (_all: readonly DraftExclusion[], { factors }: Draft): DraftExclusion => ({
  when: Object.fromEntries(factors.map(({ key, levels }) => [key, [levels.at(-1)?.key ?? '']])),
  reason: '',
});

function ExclusionRow({ exclusion, place }: { exclusion: DraftExclusion; place: Place }) {
  const factors = useDraft((draft) => draft.factors);
  const { index } = place;
  const number = index + 1;
  const path = `${PATH}.${index}`;
  return (
    <div className={classes.exclusion} data-field={path}>
      <Text size="xs" c="var(--text-dim)" className={classes.exclusionWord}>
        {index === 0 ? t`Exclude` : t({ message: 'and', context: 'exclusions' })}
      </Text>
      <div className={classes.exclusionFactors}>
        {factors.map((factor) => (
          <Condition
            key={factor.key}
            index={index}
            factor={factor}
            levels={exclusion.when[factor.key] ?? []}
          />
        ))}
        <TextField
          path={`${path}.reason`}
          label={t`because`}
          placeholder={t`Why it is excluded`}
          maxLength={300}
        />
      </div>
      <RowActions what={t`exclusion ${number}`} path={PATH} {...place} onMove={undefined} />
    </div>
  );
}

/** Combinations that make no sense, by rules: where several factors are named, all must match. */
export function ExclusionsEditor() {
  const exclude = useDraft((draft) => (draft.design.kind === 'matrix' ? draft.design.exclude : NONE));
  const { places, add } = useItems<DraftExclusion>(PATH, blankExclusion);
  return (
    <Stack gap="xs" data-field={PATH}>
      {exclude.map((exclusion, index) => {
        const place = places[index];
        // biome-ignore lint/suspicious/noArrayIndexKey: exclusions are known by their place
        return place && <ExclusionRow key={index} exclusion={exclusion} place={place} />;
      })}
      <div>
        <AddButton onClick={add}>{t`Exclude combinations`}</AddButton>
      </div>
    </Stack>
  );
}

interface ConditionProps {
  index: number;
  factor: DraftFactor;
  levels: string[];
}

/** The levels of one factor that a rule is about; none means any. */
function Condition({ index, factor, levels }: ConditionProps) {
  const store = useStore();
  const path = `${PATH}.${index}.when.${factor.key}`;
  const { label } = factor;
  const problems = useField(path, t`Excluded levels of ${label}`);
  function choose(next: string[]) {
    store.change((draft) => {
      if (draft.design.kind !== 'matrix') return draft;
      const when = { ...draft.design.exclude[index]?.when, [factor.key]: next };
      if (next.length === 0) delete when[factor.key];
      return withValue(draft, `${PATH}.${index}.when`, when);
    });
  }
  const options = new Map(factor.levels.map((level) => [level.key, level.label]));
  return (
    <MultiSelect
      data-field={path}
      label={label}
      placeholder={levels.length === 0 ? t({ message: 'any', context: 'levels' }) : undefined}
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={levels.filter((level) => options.has(level))}
      error={textOfProblems(problems)}
      onChange={choose}
    />
  );
}
