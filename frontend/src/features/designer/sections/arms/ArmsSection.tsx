import { plural, t } from '@lingui/core/macro';
import { MultiSelect, SegmentedControl, Stack } from '@mantine/core';
import { useMemo } from 'react';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import { KeyField, TextField } from '../../fields/inputs';
import { List } from '../../fields/List';
import { Note, ProblemLine, Section } from '../../fields/Section';
import type { Draft, DraftArm, DraftDesign, DraftExclusion, DraftFactor } from '../../model/draft/draft';
import { type Cell, cellsOf, MAX_COMBINATIONS, toggleCell, withKind } from '../../model/matrix';
import { withValue } from '../../model/paths';
import classes from './ChosenArms.module.css';
import { MatrixGrid } from './MatrixGrid';
import matrix from './matrix.module.css';

const kinds = () => [
  { value: 'matrix', label: t`Every combination` },
  { value: 'chosen', label: t`Chosen arms` },
];

function countOf(cells: readonly Cell[]): string {
  const running = cells.filter((cell) => cell.state === 'on').length;
  const all = cells.length;
  return plural(all, {
    one: `${running} of ${all} combination runs`,
    other: `${running} of ${all} combinations run`,
  });
}

export function ArmsSection() {
  const store = useStore();
  const factors = useDraft((draft) => draft.factors);
  const design = useDraft((draft) => draft.design);
  const baseline = useDraft((draft) => draft.baseline);
  const cells = useMemo(() => cellsOf({ factors, design }), [factors, design]);
  const kindChoice = (
    <SegmentedControl
      size="xs"
      aria-label={t`Which combinations run`}
      data={kinds()}
      value={design.kind}
      onChange={(next) => store.change((draft) => withKind(draft, next as DraftDesign['kind']))}
    />
  );
  return (
    <Section
      id="arms"
      note={t`Each cell is a combination of levels. Arrow keys move, Space switches a cell off and on, B makes it the baseline.`}
      actions={kindChoice}
    >
      <Stack gap="md">
        <ProblemLine path="design" label={t`Arms`}>
          <ProblemLine path="baseline" label={t`Baseline`}>
            {cells.length > 0 ? (
              <MatrixGrid
                {...{ factors, cells, baseline }}
                onToggle={(cell) => store.change((draft) => toggleCell(draft, cell))}
                onBaseline={(cell) => store.change((draft) => withValue(draft, 'baseline', cell.key))}
              />
            ) : (
              <Note size="sm">{t`More than ${MAX_COMBINATIONS} combinations cannot be shown. Remove levels.`}</Note>
            )}
          </ProblemLine>
        </ProblemLine>
        <Note role="status">{countOf(cells)}</Note>
        {design.kind === 'matrix' && factors.length > 0 && <ExclusionsEditor />}
        {design.kind === 'chosen' && <ChosenArms arms={design.arms} />}
      </Stack>
    </Section>
  );
}

/** The baseline and thresholds name arms by key, so they follow. */
function renameArm(draft: Draft, index: number, key: string): Draft {
  if (draft.design.kind !== 'chosen') return draft;
  const before = draft.design.arms[index]?.key;
  const renamed = withValue(draft, `design.arms.${index}.key`, key);
  return before === draft.baseline ? { ...renamed, baseline: key } : renamed;
}

/** Chosen arms may have names of their own. */
function ChosenArms({ arms }: { arms: readonly DraftArm[] }) {
  return (
    <Stack gap={6} data-field="design.arms">
      {arms.map(({ levels, label }, index) => {
        const path = `design.arms.${index}`;
        const number = index + 1;
        return (
          <ProblemLine key={Object.values(levels).join('.')} path={path} label={t`Arm ${number}`}>
            <div className={classes.armRow}>
              <TextField path={`${path}.label`} label={t`Name of arm ${number}`} hideLabel size="xs" />
              <KeyField
                path={`${path}.key`}
                label={t`Key of arm ${label}`}
                hideLabel
                change={(draft, key) => renameArm(draft, index, key)}
              />
            </div>
          </ProblemLine>
        );
      })}
    </Stack>
  );
}

const PATH = 'design.exclude';
/** A rule for the last level of every factor: one excluded combination, to begin with. */
const blankExclusion = (_all: readonly DraftExclusion[], { factors }: Draft): DraftExclusion => ({
  when: Object.fromEntries(factors.map(({ key, levels }) => [key, [levels.at(-1)?.key ?? '']])),
  reason: '',
});

/** Combinations that make no sense, by rules: where several factors are named, all must match. */
function ExclusionsEditor() {
  return (
    <List<DraftExclusion>
      path={PATH}
      label={t`Exclude combinations`}
      nameOf={(_, number) => t`exclusion ${number}`}
      create={blankExclusion}
      row={matrix.exclusion}
      adds={t`Exclude combinations`}
    >
      {(exclusion, { path, index }) => <ExclusionFields path={path} index={index} exclusion={exclusion} />}
    </List>
  );
}

interface ExclusionProps {
  path: string;
  index: number;
  exclusion: DraftExclusion;
}

function ExclusionFields({ path, index, exclusion }: ExclusionProps) {
  const factors = useDraft((draft) => draft.factors);
  return (
    <>
      <Note className={matrix.exclusionWord}>
        {index === 0 ? t`Exclude` : t({ message: 'and', context: 'exclusions' })}
      </Note>
      <div className={matrix.exclusionFactors}>
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
    </>
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
