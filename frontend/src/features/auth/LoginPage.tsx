import { zodResolver } from '@hookform/resolvers/zod';
import { Button, PasswordInput, Stack, Text, TextInput, Title } from '@mantine/core';
import { type UseFormReturn, useForm } from 'react-hook-form';
import { useNavigate, useSearchParams } from 'react-router';
import { Logo } from '@/components/brand/Logo';
import { FormProblem } from '@/components/ui/FormProblem';
import { showProblems } from '@/lib/forms';
import { usePageTitle } from '@/lib/usePageTitle';
import { z } from '@/lib/zod';
import { useLogin } from './api/useLogin';
import classes from './auth.module.css';
import { safeTarget } from './safeTarget';

const schema = z.object({
  email: z.string().trim().min(1, 'Enter your e-mail address'),
  password: z.string().min(1, 'Enter your password'),
});
type Credentials = z.infer<typeof schema>;

function useLoginForm() {
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const login = useLogin();
  const form = useForm<Credentials>({
    resolver: zodResolver(schema),
    defaultValues: { email: '', password: '' },
  });
  const submit = form.handleSubmit((values) =>
    login.mutate(values, {
      onSuccess: () => navigate(safeTarget(params.get('next')), { replace: true }),
      onError: (error) => showProblems(error, ['email', 'password'], form.setError),
    }),
  );
  return { form, submit, isPending: login.isPending };
}

function Fields({ form, isPending }: { form: UseFormReturn<Credentials>; isPending: boolean }) {
  const { errors } = form.formState;
  return (
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
  );
}

export default function LoginPage() {
  usePageTitle('Sign in');
  const { form, submit, isPending } = useLoginForm();
  return (
    <main className={classes.page}>
      <form onSubmit={submit} className={classes.card} noValidate>
        <Logo />
        <div>
          <Title order={1}>Sign in</Title>
          <Text size="sm" c="var(--text-dim)">
            NGINX performance experiments with live charts and sound statistics.
          </Text>
        </div>
        <Fields form={form} isPending={isPending} />
      </form>
    </main>
  );
}
