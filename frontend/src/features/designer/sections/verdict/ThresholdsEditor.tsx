import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Code, Stack, Text } from '@mantine/core';
import { AddButton } from '../../fields/AddButton';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import { type Place, useItems } from '../../useItems';
import classes from './ThresholdsEditor.module.css';

const PATH = 'thresholds';
const EXAMPLES = ['p99_ms < 20', 'requests_per_s ratio > 0.98', 'errors_percent <= 0 for ARM'] as const;

function ThresholdRow(place: Place) {
  const number = place.index + 1;
  return (
    <div className={classes.thresholdRow}>
      <TextField
        path={`${PATH}.${place.index}`}
        label={t`Threshold ${number}`}
        hideLabel
        code
        maxLength={200}
        placeholder="METRIC [ratio] < NUMBER [for ARM]"
      />
      <RowActions what={t`threshold ${number}`} path={PATH} {...place} onMove={undefined} />
    </div>
  );
}

/** One threshold a line, e.g. `p99_ms < 20`. */
export function ThresholdsEditor() {
  const { places, add } = useItems<string>(PATH, () => '');
  const [plain, ratio, ofArm] = EXAMPLES;
  return (
    <ProblemLine path={PATH} label={t`Thresholds`}>
      <Text size="sm" fw={500}>
        {t`Thresholds`}
      </Text>
      <Text size="xs" c="var(--text-dim)" mb={6}>
        <Trans>
          For example <Code>{plain}</Code>, <Code>{ratio}</Code> against the baseline, or <Code>{ofArm}</Code>
          .
        </Trans>
      </Text>
      <Stack gap={6}>
        {places.map((place) => (
          <ThresholdRow key={place.index} {...place} />
        ))}
        <div>
          <AddButton onClick={add}>{t`Add threshold`}</AddButton>
        </div>
      </Stack>
    </ProblemLine>
  );
}
