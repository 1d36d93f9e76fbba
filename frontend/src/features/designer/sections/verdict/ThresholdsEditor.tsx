import { Code, Stack, Text } from '@mantine/core';
import { AddButton } from '../../fields/AddButton';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import { type Place, useItems } from '../../useItems';
import classes from './ThresholdsEditor.module.css';

const PATH = 'thresholds';

function ThresholdRow(place: Place) {
  const number = place.index + 1;
  return (
    <div className={classes.thresholdRow}>
      <TextField
        path={`${PATH}.${place.index}`}
        label={`Threshold ${number}`}
        hideLabel
        code
        maxLength={200}
        placeholder="METRIC [ratio] < NUMBER [for ARM]"
      />
      <RowActions what={`threshold ${number}`} path={PATH} {...place} onMove={undefined} />
    </div>
  );
}

/** One threshold a line, e.g. `p99_ms < 20`. */
export function ThresholdsEditor() {
  const { places, add } = useItems<string>(PATH, () => '');
  return (
    <ProblemLine path={PATH} label="Thresholds">
      <Text size="sm" fw={500}>
        Thresholds
      </Text>
      <Text size="xs" c="var(--text-dim)" mb={6}>
        For example <Code>p99_ms &lt; 20</Code>, <Code>requests_per_s ratio &gt; 0.98</Code> against the
        baseline, or <Code>errors_percent &lt;= 0 for ARM</Code>.
      </Text>
      <Stack gap={6}>
        {places.map((place) => (
          <ThresholdRow key={place.index} {...place} />
        ))}
        <div>
          <AddButton onClick={add}>Add threshold</AddButton>
        </div>
      </Stack>
    </ProblemLine>
  );
}
