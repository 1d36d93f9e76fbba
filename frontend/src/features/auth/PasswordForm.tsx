import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, PasswordInput, Stack, TextInput } from '@mantine/core';
import { type ChangeEvent, type SyntheticEvent, useRef, useState } from 'react';
import { FormProblem } from '@/components/ui/FormProblem';
import { showProblems } from '@/lib/forms';
import { useLogin } from './api/useLogin';

const asked = () => ({ email: t`Enter your e-mail address`, password: t`Enter your password` });
type Field = keyof ReturnType<typeof asked>;
type Values = Record<Field, string>;
type Problems = Partial<Record<Field | 'root', string>>;

const FIELDS: readonly Field[] = ['email', 'password'];

function missingOf(values: Values): Problems {
  return Object.fromEntries(FIELDS.filter((name) => !values[name]).map((name) => [name, asked()[name]]));
}

interface Props {
  /** Of who signs in again. */
  email?: string;
}

/** Two fields: the library of the larger forms would be a tenth of this page's weight. */
function useLoginForm({ email = '' }: Props) {
  const login = useLogin();
  const [values, setValues] = useState<Values>({ email, password: '' });
  const [problems, setProblems] = useState<Problems>({});
  const inputs = useRef<Partial<Record<Field, HTMLInputElement | null>>>({});
  const submit = (event: SyntheticEvent) => {
    event.preventDefault();
    const sent = { ...values, email: values.email.trim() };
    const missing = missingOf(sent);
    setProblems(missing);
    const first = FIELDS.find((name) => missing[name]);
    if (first) return inputs.current[first]?.focus();
    login.mutate(sent, {
      onError: (error) =>
        showProblems<Values>(error, [...FIELDS], (name, { message }) =>
          setProblems((all) => ({ ...all, [name]: message })),
        ),
    });
  };
  const field = (name: Field) => ({
    name,
    value: values[name],
    error: problems[name],
    ref: (input: HTMLInputElement | null) => {
      inputs.current[name] = input;
    },
    onChange: ({ currentTarget: { value } }: ChangeEvent<HTMLInputElement>) => {
      setValues((all) => ({ ...all, [name]: value }));
      setProblems((all) => ({ ...all, [name]: undefined }));
    },
  });
  // Once it has succeeded, the page behind is on its way.
  return { field, submit, problem: problems.root, isPending: login.isPending || login.isSuccess };
}

export function PasswordForm(props: Props) {
  const { field, submit, problem, isPending } = useLoginForm(props);
  const isKnown = props.email !== undefined;
  return (
    <form onSubmit={submit} noValidate>
      <Stack gap="sm">
        <FormProblem message={problem} />
        <TextInput
          label={t`E-mail`}
          type="email"
          autoComplete="username"
          autoFocus={!isKnown}
          readOnly={isKnown}
          {...field('email')}
        />
        <PasswordInput
          label={t`Password`}
          autoComplete="current-password"
          autoFocus={isKnown}
          {...field('password')}
        />
        <Button type="submit" size="sm" loading={isPending} mt={4}>
          <Trans>Sign in</Trans>
        </Button>
      </Stack>
    </form>
  );
}
