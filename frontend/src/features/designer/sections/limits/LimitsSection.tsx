import { Stack } from '@mantine/core';
import { Section } from '../../fields/Section';
import { PlacementEditor } from './PlacementEditor';
import { ThresholdsEditor } from './ThresholdsEditor';

export function LimitsSection() {
  return (
    <Section
      id="limits"
      note="Thresholds decide whether a run passes or fails, and the exit code of the command line."
    >
      <Stack gap="lg">
        <ThresholdsEditor />
        <PlacementEditor />
      </Stack>
    </Section>
  );
}
