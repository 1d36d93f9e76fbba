import { zodResolver } from '@hookform/resolvers/zod';
import { Button, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useForm } from 'react-hook-form';
import { FormProblem } from '@/components/ui/FormProblem';
import { Panel } from '@/components/ui/Panel';
import { showProblems } from '@/lib/forms';
import { z } from '@/lib/zod';
import { useChangePassword } from './api/useChangePassword';

const schema = z
  .object({
    current_password: z.string().min(1, 'Enter your current password'),
    new_password: z.string().min(10, 'At least 10 characters').max(200, 'At most 200 characters'),
    repeated: z.string(),
  })
  .refine((values) => values.new_password === values.repeated, {
    path: ['repeated'],
    message: 'The new passwords do not match',
  });
type Values = z.infer<typeof schema>;
const EMPTY: Values = { current_password: '', new_password: '', repeated: '' };

function usePasswordForm() {
  const change = useChangePassword();
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: EMPTY });
  const submit = form.handleSubmit(({ current_password, new_password }) =>
    change.mutate(
      { current_password, new_password },
      {
        onSuccess: () => {
          form.reset(EMPTY);
          notifications.show({ message: 'Password changed. Your other sessions were signed out.' });
        },
        onError: (error) => showProblems(error, ['current_password', 'new_password'], form.setError),
      },
    ),
  );
  return { form, submit, isPending: change.isPending };
}

const FIELDS = [
  { name: 'current_password', label: 'Current password', autoComplete: 'current-password' },
  { name: 'new_password', label: 'New password', autoComplete: 'new-password' },
  { name: 'repeated', label: 'Repeat new password', autoComplete: 'new-password' },
] as const;

export function PasswordTab() {
  const { form, submit, isPending } = usePasswordForm();
  const { errors } = form.formState;
  return (
    <Panel title="Change password" note="This signs out your other sessions.">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw={360}>
          <FormProblem message={errors.root?.message} />
          {FIELDS.map(({ name, label, autoComplete }) => (
            <PasswordInput
              key={name}
              label={label}
              autoComplete={autoComplete}
              error={errors[name]?.message}
              {...form.register(name)}
            />
          ))}
          <Button type="submit" loading={isPending} style={{ alignSelf: 'flex-start' }}>
            Change password
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
