import { t } from '@lingui/core/macro';
import { SimpleGrid, TextInput } from '@mantine/core';
import type { UseFormReturn } from 'react-hook-form';
import { Panel } from '@/components/ui/Panel';
import type { FormValues } from './parameters';

export function NamePanel({ form }: { form: UseFormReturn<FormValues> }) {
  const { errors } = form.formState;
  return (
    <Panel title={t`Name`}>
      <SimpleGrid cols={{ base: 1, sm: 2 }} spacing="lg">
        <TextInput label={t`Name`} error={errors.name?.message} {...form.register('name')} />
        <TextInput
          label={t`Note`}
          placeholder={t`What is special about this run`}
          error={errors.note?.message}
          {...form.register('note')}
        />
      </SimpleGrid>
    </Panel>
  );
}
