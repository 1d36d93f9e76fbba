import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { useDraft } from '../../designerContext';
import { KeyField } from '../../fields/KeyField';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import type { Draft, DraftArm } from '../../model/draft/draft';
import { withValue } from '../../model/paths';
import classes from './ChosenArms.module.css';

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
export function ChosenArms() {
  const arms = useDraft((draft) => (draft.design.kind === 'chosen' ? draft.design.arms : NONE));
  return (
    <Stack gap={6} data-field="design.arms">
      {arms.map(({ levels, label }, index) => (
        <ArmRow key={Object.values(levels).join('.')} index={index} label={label} />
      ))}
    </Stack>
  );
}
