import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Anchor, Divider, Skeleton, Text, Title } from '@mantine/core';
import { useState } from 'react';
import { useSearchParams } from 'react-router';
import type { SignInMethods } from '@/api/generated';
import { Logo } from '@/components/brand/Logo';
import { FormProblem } from '@/components/ui/FormProblem';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSignInMethods } from './api/useSignInMethods';
import classes from './auth.module.css';
import { oidcProblemText } from './oidcProblems';
import { PasswordForm } from './PasswordForm';
import { ProviderButton } from './ProviderButton';
import { safeTarget } from './safeTarget';

/** Where the provider is the only way, one administrator keeps a password for the day on which it is down. */
function EmergencyForm({ target }: { target: string }) {
  const [isOpen, setOpen] = useState(false);
  return isOpen ? (
    <PasswordForm target={target} />
  ) : (
    <Anchor component="button" type="button" size="sm" c="var(--text-dim)" onClick={() => setOpen(true)}>
      <Trans>Emergency sign-in with a password</Trans>
    </Anchor>
  );
}

function Methods({ methods, target }: { methods: SignInMethods; target: string }) {
  const { oidc_label: label, password } = methods;
  if (label === null) return <PasswordForm target={target} />;
  return password ? (
    <>
      <PasswordForm target={target} />
      <Divider label={t`or`} />
      <ProviderButton label={label} target={target} isPrimary={false} />
    </>
  ) : (
    <>
      <ProviderButton label={label} target={target} isPrimary />
      <EmergencyForm target={target} />
    </>
  );
}

/** A password can be tried even where the server did not say what there is. */
const UNKNOWN: SignInMethods = { password: true, oidc_label: null };

export default function LoginPage() {
  usePageTitle(t`Sign in`);
  const [params] = useSearchParams();
  const methods = useSignInMethods();
  const target = safeTarget(params.get('next'));
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo />
        <div>
          <Title order={1}>
            <Trans>Sign in</Trans>
          </Title>
          <Text size="sm" c="var(--text-dim)">
            <Trans>NGINX performance experiments with live charts and sound statistics.</Trans>
          </Text>
        </div>
        {params.has('ended') && (
          <Alert role="status" color="gray" variant="light">
            <Trans>Your session has ended. Sign in again to go on where you were.</Trans>
          </Alert>
        )}
        <FormProblem message={oidcProblemText(params.get('problem')) ?? undefined} />
        {methods.isPending ? (
          <Skeleton height={190} aria-busy="true" aria-label={t`Loading`} />
        ) : (
          <Methods methods={methods.data ?? UNKNOWN} target={target} />
        )}
      </div>
      <OtherLanguages />
    </main>
  );
}
