import { t } from '@lingui/core/macro';
import { Stack } from '@mantine/core';
import { Field } from '../fields/Field';
import { TextField } from '../fields/inputs';
import { Section } from '../fields/Section';

export function QuestionSection() {
  return (
    <Section id="question">
      <Stack gap="sm">
        <TextField path="name" label={t`Name`} placeholder={t`Shown in lists`} maxLength={120} />
        <Field of="Definition.question" at="" />
      </Stack>
    </Section>
  );
}
