import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor, Button, Divider, PasswordInput, Skeleton, Stack, TextInput } from '@mantine/core';
import { IconLogin2 } from '@tabler/icons-react';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type ChangeEvent, type SyntheticEvent, useRef, useState } from 'react';
import { setCsrfToken } from '@/api/client';
import type { LoginRequest, SignInMethods } from '@/api/generated';
import { keepOneTimePassword, meKey, noteSession } from '@/api/session';
import { login, methodsQuery } from '@/api/signIn';
import { FormProblem } from '@/components/ui/FormProblem';
import { showProblems } from '@/lib/forms';
import { ApiProblem } from '@/lib/problem';
import { arrived } from '@/lib/release';

interface Props {
  /** The address to which a provider leads back. */
  target: string;
  /** The e-mail of a person who signs in again. The page stays open, so a provider opens in another tab. */
  email?: string;
}

/** Leads to the provider, and from there back to the page that was asked for. `isPrimary`: where there is no other way. */
function ProviderButton({ label, isPrimary, target, email }: Props & { label: string; isPrimary: boolean }) {
  const inNewTab = email !== undefined;
  return (
    <Button
      component="a"
      href={`/api/v1/auth/oidc/start?next=${encodeURIComponent(target)}`}
      target={inNewTab ? '_blank' : undefined}
      variant={isPrimary ? 'filled' : 'default'}
      size="sm"
      leftSection={<IconLogin2 size={16} aria-hidden />}
    >
      {inNewTab ? <Trans>Sign in with {label} in a new tab</Trans> : <Trans>Sign in with {label}</Trans>}
    </Button>
  );
}

const asked = () => ({ email: t`Enter your e-mail address`, password: t`Enter your password` });
type Field = keyof ReturnType<typeof asked>;
type Values = Record<Field, string>;
type Problems = Partial<Record<Field | 'root', string>>;

const FIELDS: readonly Field[] = ['email', 'password'];

function missingOf(values: Values): Problems {
  return Object.fromEntries(FIELDS.filter((name) => !values[name]).map((name) => [name, asked()[name]]));
}

/** Two fields: the library of the larger forms would be a tenth of this page's weight. */
function useLoginForm({ email = '' }: Pick<Props, 'email'>) {
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

function PasswordForm(props: Pick<Props, 'email'>) {
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
          {t`Sign in`}
        </Button>
      </Stack>
    </form>
  );
}

/** With the passkey that the account may need beside its password. */
async function enter(body: LoginRequest) {
  try {
    return await login(body);
  } catch (error) {
    if (!(error instanceof ApiProblem) || error.code !== 'passkey-required') throw error;
    const { answerTo } = await arrived(() => import('@/lib/passkeys'));
    const passkey = await answerTo(error.passkey);
    return await login({ ...body, passkey });
  }
}

/** Sign in. A page that is open, of the same account, fetches anew what it shows. */
function useLogin() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: enter,
    onSuccess: (me, { password }) => {
      if (me.account.must_change_password) keepOneTimePassword(password);
      noteSession(queryClient, me);
      setCsrfToken(me.csrf_token);
      queryClient.setQueryData(meKey, me);
      void queryClient.invalidateQueries({ predicate: ({ queryKey }) => queryKey[0] !== meKey[0] });
    },
  });
}

/** Where the provider is the only way, one administrator keeps a password for the day on which it is down. */
function EmergencyForm(props: Props) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <PasswordForm {...props} />
  ) : (
    <Anchor component="button" type="button" size="sm" c="var(--text-dim)" onClick={() => setOpen(true)}>
      {t`Emergency sign-in with a password`}
    </Anchor>
  );
}

function Methods({ methods: { oidc_label: label, password }, ...props }: Props & { methods: SignInMethods }) {
  if (label === null) return <PasswordForm {...props} />;
  const provider = <ProviderButton label={label} isPrimary={!password} {...props} />;
  return password ? (
    <>
      <PasswordForm {...props} />
      <Divider label={t`or`} />
      {provider}
    </>
  ) : (
    <>
      {provider}
      <EmergencyForm {...props} />
    </>
  );
}

/** A password can be tried even where the server did not say what there is. */
const UNKNOWN: SignInMethods = { password: true, oidc_label: null };

/** The ways to sign in that there are here. */
export function SignInForm(props: Props) {
  const methods = useQuery(methodsQuery);
  return methods.isPending ? (
    <Skeleton height={190} role="progressbar" aria-busy="true" aria-label={t`Loading`} />
  ) : (
    <Methods methods={methods.data ?? UNKNOWN} {...props} />
  );
}
