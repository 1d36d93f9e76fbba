import { plural, t } from '@lingui/core/macro';
import { Group, MultiSelect, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { textOfProblems, useDraft, useField, useStore } from '../../designerContext';
import { KeyField, TextField } from '../../fields/inputs';
import { AddButton, RowActions } from '../../fields/RowActions';
import { ProblemLine, Section } from '../../fields/Section';
import type { Draft, DraftArm, DraftDesign, DraftExclusion, DraftFactor } from '../../model/draft/draft';
import { type Cell, cellsOf, MAX_COMBINATIONS, toggleCell, withKind } from '../../model/matrix';
import { withValue } from '../../model/paths';
import { type Place, useItems } from '../ItemsSection';
import classes from './ChosenArms.module.css';
import { MatrixGrid } from './MatrixGrid';
import matrix from './matrix.module.css';

const kinds = () => [
  { value: 'matrix', label: t`Every combination` },
  { value: 'chosen', label: t`Chosen arms` },
];

function KindChoice({ kind }: { kind: DraftDesign['kind'] }) {
  const store = useStore();
  return (
    <SegmentedControl
      size="xs"
      aria-label={t`Which combinations run`}
      data={kinds()}
      value={kind}
      onChange={(next) => store.change((draft) => withKind(draft, next as DraftDesign['kind']))}
    />
  );
}

function Matrix({ cells }: { cells: readonly Cell[] }) {
  const store = useStore();
  const factors = useDraft((draft) => draft.factors);
  const baseline = useDraft((draft) => draft.baseline);
  return cells.length > 0 ? (
    <MatrixGrid
      factors={factors}
      cells={cells}
      baseline={baseline}
      onToggle={(cell) => store.change((draft) => toggleCell(draft, cell))}
      onBaseline={(cell) => store.change((draft) => withValue(draft, 'baseline', cell.key))}
    />
  ) : (
    <Text size="sm" c="var(--text-dim)">
      {t`More than ${MAX_COMBINATIONS} combinations cannot be shown. Remove levels.`}
    </Text>
  );
}

function countOf(cells: readonly Cell[]): string {
  const running = cells.filter((cell) => cell.state === 'on').length;
  const all = cells.length;
  return plural(all, {
    one: `${running} of ${all} combination runs`,
    other: `${running} of ${all} combinations run`,
  });
}

export function ArmsSection() {
  const factors = useDraft((draft) => draft.factors);
  const design = useDraft((draft) => draft.design);
  const cells = useMemo(() => cellsOf({ factors, design }), [factors, design]);
  return (
    <Section
      id="arms"
      note={t`Each cell is a combination of levels. Arrow keys move, Space switches a cell off and on, B makes it the baseline.`}
      actions={<KindChoice kind={design.kind} />}
    >
      <Stack gap="md">
        <ProblemLine path="design" label={t`Arms`}>
          <ProblemLine path="baseline" label={t`Baseline`}>
            <Matrix cells={cells} />
          </ProblemLine>
        </ProblemLine>
        <Group gap="md">
          <Text size="xs" c="var(--text-dim)" role="status">
            {countOf(cells)}
          </Text>
        </Group>
        {design.kind === 'matrix' && factors.length > 0 && <ExclusionsEditor />}
        {design.kind === 'chosen' && <ChosenArms />}
      </Stack>
    </Section>
  );
}

const NONE: readonly DraftArm[] = [];

/** The baseline and thresholds name arms by key, so they follow. */
function renameArm(draft: Draft, index: number, key: string): Draft {
  if (draft.design.kind !== 'chosen') return draft;
  const before = draft.design.arms[index]?.key;
  const renamed = withValue(draft, `design.arms.${index}.key`, key);
  return before === draft.baseline ? { ...renamed, baseline: key } : renamed;
}

function ArmRow({ index, label }: { index: number; label: string }) {
  const path = `design.arms.${index}`;
  const number = index + 1;
  return (
    <ProblemLine path={path} label={t`Arm ${number}`}>
      <div className={classes.armRow}>
        <TextField path={`${path}.label`} label={t`Name of arm ${number}`} hideLabel size="xs" />
        <KeyField
          path={`${path}.key`}
          label={t`Key of arm ${label}`}
          hideLabel
          rename={(draft, key) => renameArm(draft, index, key)}
        />
      </div>
    </ProblemLine>
  );
}

/** Chosen arms may have names of their own. */
function ChosenArms() {
  const arms = useDraft((draft) => (draft.design.kind === 'chosen' ? draft.design.arms : NONE));
  return (
    <Stack gap={6} data-field="design.arms">
      {arms.map(({ levels, label }, index) => (
        <ArmRow key={Object.values(levels).join('.')} index={index} label={label} />
      ))}
    </Stack>
  );
}

const PATH = 'design.exclude';
const NO_EXCLUSIONS: readonly DraftExclusion[] = [];

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
    <div className={matrix.exclusion} data-field={path}>
      <Text size="xs" c="var(--text-dim)" className={matrix.exclusionWord}>
        {index === 0 ? t`Exclude` : t({ message: 'and', context: 'exclusions' })}
      </Text>
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
      <RowActions what={t`exclusion ${number}`} path={PATH} {...place} onMove={undefined} />
    </div>
  );
}

/** Combinations that make no sense, by rules: where several factors are named, all must match. */
function ExclusionsEditor() {
  const exclude = useDraft((draft) =>
    draft.design.kind === 'matrix' ? draft.design.exclude : NO_EXCLUSIONS,
  );
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
