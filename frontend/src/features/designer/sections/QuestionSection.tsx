import { Stack } from '@mantine/core';
import { Section } from '../fields/Section';
import { TextField } from '../fields/TextField';

export function QuestionSection() {
  return (
    <Section id="question">
      <Stack gap="sm">
        <TextField path="name" label="Name" placeholder="Shown in lists" maxLength={120} />
        <TextField
          path="question"
          label="Question"
          rows={2}
          placeholder="What do you expect, and what would change your mind?"
          description="The hypothesis. It is shown at the top of the experiment's page and its reports."
        />
      </Stack>
    </Section>
  );
}
