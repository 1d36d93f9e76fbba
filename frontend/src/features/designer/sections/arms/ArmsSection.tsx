import { plural, t } from '@lingui/core/macro';
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
