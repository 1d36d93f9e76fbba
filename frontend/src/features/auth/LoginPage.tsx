import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Title } from '@mantine/core';
import { useEffect } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { useHasEnded } from '@/api/session/sessionEnd';
import { useMe } from '@/api/useMe';
import { Logo } from '@/components/brand/Logo';
import { FormProblem } from '@/components/ui/FormProblem';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { oidcProblemText } from './oidcProblems';
import { SignInForm } from './SignInForm';
import { safeTarget } from './safeTarget';

/**
 * Leads whoever is signed in, now or already, to the page behind; first to a password of their own, where they have none.
 * The sign-in page stays until that page has arrived.
 */
function useWayBehind(target: string) {
  const { data: me } = useMe();
  const hasEnded = useHasEnded();
  const navigate = useNavigate();
  const isSignedIn = Boolean(me) && !hasEnded;
  const mustChange = me?.account.must_change_password;
  useEffect(() => {
    if (!isSignedIn) return;
    const next = mustChange ? `/new-password?next=${encodeURIComponent(target)}` : target;
    void navigate(next, { replace: true });
  }, [isSignedIn, mustChange, target, navigate]);
}

export default function LoginPage() {
  usePageTitle(t`Sign in`);
  const [params] = useSearchParams();
  const target = safeTarget(params.get('next'));
  useWayBehind(target);
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
        <FormProblem message={oidcProblemText(params.get('problem')) ?? undefined} />
        <SignInForm target={target} />
      </div>
      <OtherLanguages />
    </main>
  );
}
