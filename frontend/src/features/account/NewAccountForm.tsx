import { zodResolver } from '@hookform/resolvers/zod';
import { Button, Group, Select, Stack, Text, TextInput } from '@mantine/core';
import { Controller, type UseFormReturn, useForm } from 'react-hook-form';
import { CopyField } from '@/components/ui/CopyField';
import { FormProblem } from '@/components/ui/FormProblem';
import { Panel } from '@/components/ui/Panel';
import { showProblems } from '@/lib/forms';
import { z } from '@/lib/zod';
import { useCreateAccount } from './api/useCreateAccount';
import { ROLES } from './roles';

const schema = z.object({
  email: z
    .string()
    .trim()
    .regex(/^\S+@\S+$/, 'Enter an address such as name@domain'),
  role: z.enum(['viewer', 'experimenter', 'administrator']),
});
type Values = z.infer<typeof schema>;

type Form = UseFormReturn<Values>;

function Fields({ form, isPending }: { form: Form; isPending: boolean }) {
  const { errors } = form.formState;
  return (
    <Group align="flex-start" gap="sm">
      <TextInput label="E-mail" type="email" error={errors.email?.message} {...form.register('email')} />
      <Controller
        control={form.control}
        name="role"
        render={({ field: { value, onChange } }) => (
          <Select label="Role" data={ROLES} value={value} onChange={onChange} allowDeselect={false} w={180} />
        )}
      />
      <Button type="submit" size="sm" mt={23} loading={isPending}>
        Create account
      </Button>
    </Group>
  );
}

export function NewAccountForm() {
  const create = useCreateAccount();
  const form = useForm<Values>({
    resolver: zodResolver(schema),
    defaultValues: { email: '', role: 'experimenter' },
  });
  const submit = form.handleSubmit((values) =>
    create.mutate(values, {
      onSuccess: () => form.reset(),
      onError: (error) => showProblems(error, ['email', 'role'], form.setError),
    }),
  );
  return (
    <Panel title="New account">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm">
          <FormProblem message={form.formState.errors.root?.message} />
          <Fields form={form} isPending={create.isPending} />
        </Stack>
      </form>
      {create.data?.password && (
        <Stack gap={4} mt="md" role="status">
          <Text size="sm">Password of {create.data.account.email} (shown only once):</Text>
          <CopyField value={create.data.password} label="password" />
        </Stack>
      )}
    </Panel>
  );
}
