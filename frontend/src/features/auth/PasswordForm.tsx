import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { useNavigate } from 'react-router';
import { FormProblem } from '@/components/ui/FormProblem';
import { useSentForm } from '@/lib/useSentForm';
import { z } from '@/lib/zod';
import { useLogin } from './api/useLogin';

const schema = z.object({
  email: z.string().trim().min(1, 'Enter your e-mail address'),
  password: z.string().min(1, 'Enter your password'),
});

function useLoginForm(target: string) {
  const navigate = useNavigate();
  const login = useLogin();
  const { form, submit } = useSentForm({
    schema,
    empty: { email: '', password: '' },
    send: login.mutate,
    onSent: () => navigate(target, { replace: true }),
  });
  return { form, submit, isPending: login.isPending };
}

export function PasswordForm({ target }: { target: string }) {
  const { form, submit, isPending } = useLoginForm(target);
  const { errors } = form.formState;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormProblem message={errors.root?.message} />
        <TextInput
          label="E-mail"
          type="email"
          autoComplete="username"
          autoFocus
          error={errors.email?.message}
          {...form.register('email')}
        />
        <PasswordInput
          label="Password"
          autoComplete="current-password"
          error={errors.password?.message}
          {...form.register('password')}
        />
        <Button type="submit" size="sm" loading={isPending} mt={4}>
          Sign in
        </Button>
      </Stack>
    </form>
  );
}
