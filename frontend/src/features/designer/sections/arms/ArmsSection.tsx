import { Group, SegmentedControl, Stack, Text } from '@mantine/core';
import { useMemo } from 'react';
import { useDraft, useStore } from '../../designerContext';
import { ProblemLine, Section } from '../../fields/Section';
import type { DraftDesign } from '../../model/draft/draft';
import { type Cell, cellsOf, MAX_COMBINATIONS, toggleCell, withKind } from '../../model/matrix';
import { withValue } from '../../model/paths';
import { ChosenArms } from './ChosenArms';
import { ExclusionsEditor } from './ExclusionsEditor';
import { MatrixGrid } from './MatrixGrid';

const KINDS = [
  { value: 'matrix', label: 'Every combination' },
  { value: 'chosen', label: 'Chosen arms' },
];

function KindChoice({ kind }: { kind: DraftDesign['kind'] }) {
  const store = useStore();
  return (
    <SegmentedControl
      size="xs"
      aria-label="Which combinations run"
      data={KINDS}
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
      More than {MAX_COMBINATIONS} combinations cannot be shown. Remove levels.
    </Text>
  );
}

export function ArmsSection() {
  const factors = useDraft((draft) => draft.factors);
  const design = useDraft((draft) => draft.design);
  const cells = useMemo(() => cellsOf({ factors, design }), [factors, design]);
  const running = cells.filter((cell) => cell.state === 'on').length;
  return (
    <Section
      id="arms"
      note="Each cell is a combination of levels. Arrow keys move, Space switches a cell off and on, B makes it the baseline."
      actions={<KindChoice kind={design.kind} />}
    >
      <Stack gap="md">
        <ProblemLine path="design" label="Arms">
          <ProblemLine path="baseline" label="Baseline">
            <Matrix cells={cells} />
          </ProblemLine>
        </ProblemLine>
        <Group gap="md">
          <Text size="xs" c="var(--text-dim)" role="status">
            {running} of {cells.length} {cells.length === 1 ? 'combination runs' : 'combinations run'}
          </Text>
        </Group>
        {design.kind === 'matrix' && factors.length > 0 && <ExclusionsEditor />}
        {design.kind === 'chosen' && <ChosenArms />}
      </Stack>
    </Section>
  );
}
