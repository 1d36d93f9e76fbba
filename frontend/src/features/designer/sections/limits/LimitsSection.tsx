import { Stack } from '@mantine/core';
import { Section } from '../../fields/Section';
import { PlacementEditor } from './PlacementEditor';
import { ThresholdsEditor } from './ThresholdsEditor';

export function LimitsSection() {
  return (
    <Section
      id="limits"
      note="Thresholds make a run pass or fail, here and for the command line's exit code."
    >
      <Stack gap="lg">
        <ThresholdsEditor />
        <PlacementEditor />
      </Stack>
    </Section>
  );
}
