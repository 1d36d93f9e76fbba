import { Button, Code, Stack, Text } from '@mantine/core';
import { IconPlus } from '@tabler/icons-react';
import { useDraft, useStore } from '../../designerContext';
import { focusSoon } from '../../fieldRegistry';
import { RowActions } from '../../fields/RowActions';
import { ProblemLine } from '../../fields/Section';
import { TextField } from '../../fields/TextField';
import { withValue } from '../../model/paths';
import classes from './ThresholdsEditor.module.css';

/** One threshold a line, e.g. `p99_ms < 20`. */
export function ThresholdsEditor() {
  const store = useStore();
  const thresholds = useDraft((draft) => draft.thresholds);
  const put = (next: string[]) => store.change((draft) => withValue(draft, 'thresholds', next));
  function add() {
    put([...thresholds, '']);
    focusSoon(`thresholds.${thresholds.length}`);
  }
  return (
    <ProblemLine path="thresholds" label="Thresholds">
      <Text size="sm" fw={500}>
        Thresholds
      </Text>
      <Text size="xs" c="var(--text-dim)" mb={6}>
        As <Code>p99_ms &lt; 20</Code>, <Code>requests_per_s ratio &gt; 0.98</Code> against the baseline, or{' '}
        <Code>errors_percent &lt;= 0 for ARM</Code>.
      </Text>
      <Stack gap={6}>
        {thresholds.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: thresholds are known by their place
          <div key={index} className={classes.thresholdRow}>
            <TextField
              path={`thresholds.${index}`}
              label={`Threshold ${index + 1}`}
              hideLabel
              code
              maxLength={200}
              placeholder="METRIC [ratio] < NUMBER [for ARM]"
            />
            <RowActions
              what={`threshold ${index + 1}`}
              path="thresholds"
              index={index}
              count={thresholds.length}
              onRemove={() => put(thresholds.filter((_, place) => place !== index))}
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
            Add threshold
          </Button>
        </div>
      </Stack>
    </ProblemLine>
  );
}
