import { zodResolver } from '@hookform/resolvers/zod';
import { Alert, Button, PasswordInput, Stack } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import { useForm } from 'react-hook-form';
import { Panel } from '@/components/ui/Panel';
import { showProblems } from '@/lib/forms';
import { z } from '@/lib/zod';
import { useChangePassword } from './api/useChangePassword';

const schema = z
  .object({
    current_password: z.string().min(1, 'Enter your present password'),
    new_password: z.string().min(10, 'At least 10 characters').max(200, 'At most 200 characters'),
    repeated: z.string(),
  })
  .refine((values) => values.new_password === values.repeated, {
    path: ['repeated'],
    message: 'The two new passwords differ',
  });
type Values = z.infer<typeof schema>;
const EMPTY: Values = { current_password: '', new_password: '', repeated: '' };

export function PasswordTab() {
  const change = useChangePassword();
  const form = useForm<Values>({ resolver: zodResolver(schema), defaultValues: EMPTY });
  const { errors } = form.formState;
  const submit = form.handleSubmit(({ current_password, new_password }) =>
    change.mutate(
      { current_password, new_password },
      {
        onSuccess: () => {
          form.reset(EMPTY);
          notifications.show({ message: 'Password changed. Other sessions of yours have ended.' });
        },
        onError: (error) => showProblems(error, ['current_password', 'new_password'], form.setError),
      },
    ),
  );
  return (
    <Panel title="Change password" note="Your other sessions end; this one stays.">
      <form onSubmit={submit} noValidate>
        <Stack gap="sm" maw={360}>
          {errors.root && (
            <Alert role="alert" color="red" variant="light">
              {errors.root.message}
            </Alert>
          )}
          <PasswordInput
            label="Present password"
            autoComplete="current-password"
            error={errors.current_password?.message}
            {...form.register('current_password')}
          />
          <PasswordInput
            label="New password"
            autoComplete="new-password"
            error={errors.new_password?.message}
            {...form.register('new_password')}
          />
          <PasswordInput
            label="New password again"
            autoComplete="new-password"
            error={errors.repeated?.message}
            {...form.register('repeated')}
          />
          <Button type="submit" loading={change.isPending} style={{ alignSelf: 'flex-start' }}>
            Change password
          </Button>
        </Stack>
      </form>
    </Panel>
  );
}
