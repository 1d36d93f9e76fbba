import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Section } from '../fields/Section';
import { TextField } from '../fields/TextField';

export function QuestionSection() {
  return (
    <Section id="question">
      <Stack gap="sm">
        <TextField path="name" label={t`Name`} placeholder={t`Shown in lists`} maxLength={120} />
        <TextField
          path="question"
          label={t`Question`}
          rows={2}
          placeholder={t`What do you expect, and what would change your mind?`}
          description={t`The hypothesis. It is shown at the top of the experiment's page and its reports.`}
        />
      </Stack>
    </Section>
  );
}
