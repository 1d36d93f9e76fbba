import { Button, MultiSelect, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { RowActions } from '../../fields/RowActions';
import { TextField } from '../../fields/TextField';
import type { DraftExclusion, DraftFactor } from '../../model/draft/draft';
import { withValue } from '../../model/paths';
import classes from './matrix.module.css';

const NONE: readonly DraftExclusion[] = [];

/** Combinations that make no sense, by rules: where several factors are named, all must match. */
export function ExclusionsEditor() {
  const store = useStore();
  const factors = useDraft((draft) => draft.factors);
  const exclude = useDraft((draft) => (draft.design.kind === 'matrix' ? draft.design.exclude : NONE));
  const put = (next: readonly DraftExclusion[]) =>
    store.change((draft) => withValue(draft, 'design.exclude', next));
  function add() {
    const when = Object.fromEntries(factors.map(({ key, levels }) => [key, [levels.at(-1)?.key ?? '']]));
    put([...exclude, { when, reason: '' }]);
    focusSoon(`design.exclude.${exclude.length}`);
  }
  return (
    <Stack gap="xs" data-field="design.exclude">
      {exclude.map((exclusion, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: exclusions are known by their place
        <div key={index} className={classes.exclusion} data-field={`design.exclude.${index}`}>
          <Text size="xs" c="var(--text-dim)" className={classes.exclusionWord}>
            {index === 0 ? 'Exclude' : 'and'}
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
              path={`design.exclude.${index}.reason`}
              label="because"
              placeholder="Why it makes no sense"
              maxLength={300}
            />
          </div>
          <RowActions
            what={`exclusion ${index + 1}`}
            path="design.exclude"
            index={index}
            count={exclude.length}
            onRemove={() => put(exclude.filter((_, place) => place !== index))}
          />
        </div>
      ))}
      <div>
        <Button
          variant="subtle"
          color="gray"
          size="compact-xs"
          leftSection={<IconPlus size={12} />}
          onClick={add}
        >
          Exclude combinations
        </Button>
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
  const path = `design.exclude.${index}.when.${factor.key}`;
  const problems = useField(path, `Excluded levels of ${factor.label}`);
  function choose(next: string[]) {
    store.change((draft) => {
      if (draft.design.kind !== 'matrix') return draft;
      const when = { ...draft.design.exclude[index]?.when, [factor.key]: next };
      if (next.length === 0) delete when[factor.key];
      return withValue(draft, `design.exclude.${index}.when`, when);
    });
  }
  const options = new Map(factor.levels.map((level) => [level.key, level.label]));
  return (
    <MultiSelect
      data-field={path}
      label={factor.label}
      placeholder={levels.length === 0 ? 'any' : undefined}
      data={[...options].map(([value, label]) => ({ value, label }))}
      value={levels.filter((level) => options.has(level))}
      error={textOfProblems(problems)}
      onChange={choose}
    />
  );
}
