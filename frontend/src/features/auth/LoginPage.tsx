import { t } from '@lingui/core/macro';
import { Anchor, Title } from '@mantine/core';
import { useEffect } from 'react';
import { Link, useNavigate, useSearchParams } from 'react-router';
import { firstStep, useHasEnded, useMe } from '@/api/session';
import { Logo } from '@/components/Logo';
import { PageFooter } from '@/components/PageFooter';
import { Dim } from '@/components/ui/Dim';
import { FormProblem } from '@/components/ui/FormProblem';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { SignInForm } from './SignInForm';

const START = '/experiments';

/** Only an address of this site may be returned to: browsers read `//` and `/\` as the beginning of another host. */
export function safeTarget(next: string | null): string {
  return next && /^\/(?![/\\])[^\\]*$/.test(next) ? next : START;
}

/** Why a sign-in at the provider led to none here, by the name that the backend sends the browser back with. */
const words = (): Record<string, string> => ({
  'provider-down': t`The sign-in provider cannot be reached or does not answer as it should. Try again in a moment.`,
  'provider-error': t`The sign-in provider refused this installation. An administrator has to look at its settings.`,
  refused: t`The sign-in was refused at the provider. Try again, and give your consent there.`,
  expired: t`This sign-in took too long, or was begun in another window. Try again; your browser must accept cookies.`,
  'bad-token': t`The sign-in provider’s answer does not belong to this sign-in, so it was not accepted. Try again.`,
  'no-email': t`The sign-in provider has no verified e-mail address of yours. Verify your address there, then try again.`,
  domain: t`Your e-mail address is of a domain that may not sign in here. Use your work account.`,
  'account-exists': t`An account with your e-mail address exists already. Sign in with its password, or ask an administrator to allow it to be linked.`,
  disabled: t`Your account is disabled. Ask an administrator.`,
});

/** The problem in words; null where there is none. The name comes from the address, so it is never shown itself. */
function oidcProblemText(name: string | null): string | null {
  return name && (words()[name] ?? t`The sign-in at the provider failed. Try again.`);
}

/**
 * Leads whoever is signed in, now or already, to the page behind; first to a password of their own, or to the passkey that
 * it takes, where they have none.
 * The sign-in page stays until that page has arrived.
 */
function useWayBehind(target: string) {
  const { data: me } = useMe();
  const hasEnded = useHasEnded();
  const navigate = useNavigate();
  const isSignedIn = Boolean(me) && !hasEnded;
  const wayThere = firstStep(me);
  useEffect(() => {
    if (!isSignedIn) return;
    const next = wayThere ? `${wayThere}?next=${encodeURIComponent(target)}` : target;
    void navigate(next, { replace: true });
  }, [isSignedIn, wayThere, target, navigate]);
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
          <Title order={1}>{t`Sign in`}</Title>
          <Dim>{t`NGINX performance experiments with live charts and sound statistics.`}</Dim>
          <Anchor component={Link} to="/sample" size="sm" underline="always">{t`See a sample report`}</Anchor>
        </div>
        <FormProblem message={oidcProblemText(params.get('problem')) ?? undefined} />
        <SignInForm target={target} />
      </div>
      <OtherLanguages />
      <PageFooter />
    </main>
  );
}
