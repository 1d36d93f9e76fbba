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

/** Chosen arms may have names of their own. */
export function ChosenArms() {
  const arms = useDraft((draft) => (draft.design.kind === 'chosen' ? draft.design.arms : NONE));
  return (
    <Stack gap={6} data-field="design.arms">
      {arms.map((arm, index) => (
        <ProblemLine
          key={Object.values(arm.levels).join('.')}
          path={`design.arms.${index}`}
          label={`Arm ${index + 1}`}
        >
          <div className={classes.armRow}>
            <TextField
              path={`design.arms.${index}.label`}
              label={`Name of arm ${index + 1}`}
              hideLabel
              size="xs"
            />
            <KeyField
              path={`design.arms.${index}.key`}
              label={`Key of arm ${arm.label}`}
              hideLabel
              rename={(draft, key) => renameArm(draft, index, key)}
            />
          </div>
        </ProblemLine>
      ))}
    </Stack>
  );
}
