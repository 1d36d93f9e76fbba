import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Section } from '../../fields/Section';
import { PrimaryEditor } from './PrimaryEditor';
import { ThresholdsEditor } from './ThresholdsEditor';

export function VerdictSection() {
  return (
    <Section
      id="verdict"
      note={t`What claims are made about, and the thresholds by which a run passes or fails (also the command line's exit code).`}
    >
      <Stack gap="lg">
        <PrimaryEditor />
        <ThresholdsEditor />
      </Stack>
    </Section>
  );
}
