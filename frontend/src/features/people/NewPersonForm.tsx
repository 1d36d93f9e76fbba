import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Select, Stack, TextInput } from '@mantine/core';
import { modals } from '@mantine/modals';
import { Controller } from 'react-hook-form';
import { FormProblem } from '@/components/ui/FormProblem';
import { roles } from '@/domain/roles';
import { useSentForm } from '@/lib/useSentForm';
import { z } from '@/lib/zod';
import { useCreateAccount } from './api/useCreateAccount';
import { showOneTimePassword } from './showOneTimePassword';

const schema = z.object({
  email: z
    .string()
    .check(z.trim(), z.regex(/^\S+@\S+$/, { error: () => t`Enter an address such as name@domain` })),
  role: z.enum(['viewer', 'experimenter', 'administrator']),
});
type Values = z.infer<typeof schema>;

function useNewPerson() {
  const create = useCreateAccount();
  const { form, submit } = useSentForm({
    schema,
    empty: { email: '', role: 'experimenter' } as Values,
    send: create.mutate,
    onSent: (made) => {
      modals.closeAll();
      showOneTimePassword(made);
    },
  });
  return { form, submit, isPending: create.isPending };
}

/** In a dialog: who, and what they may do. */
export function NewPersonForm() {
  const { form, submit, isPending } = useNewPerson();
  const { errors } = form.formState;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormProblem message={errors.root?.message} />
        <TextInput
          label={t`E-mail`}
          type="email"
          data-autofocus
          error={errors.email?.message}
          {...form.register('email')}
        />
        <Controller
          control={form.control}
          name="role"
          render={({ field: { value, onChange } }) => (
            <Select label={t`Role`} data={roles()} value={value} onChange={onChange} allowDeselect={false} />
          )}
        />
        <Button type="submit" loading={isPending} style={{ alignSelf: 'flex-end' }}>
          <Trans>Create account</Trans>
        </Button>
      </Stack>
    </form>
  );
}
