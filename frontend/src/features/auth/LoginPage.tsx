import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Title } from '@mantine/core';
import { useNavigate, useSearchParams } from 'react-router';
import { Logo } from '@/components/brand/Logo';
import { FormProblem } from '@/components/ui/FormProblem';
import { OtherLanguages } from '@/components/ui/language/OtherLanguages';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { oidcProblemText } from './oidcProblems';
import { SignInForm } from './SignInForm';
import { safeTarget } from './safeTarget';

export default function LoginPage() {
  usePageTitle(t`Sign in`);
  const [params] = useSearchParams();
  const navigate = useNavigate();
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
        <FormProblem message={oidcProblemText(params.get('problem')) ?? undefined} />
        <SignInForm target={target} onSignedIn={() => void navigate(target, { replace: true })} />
      </div>
      <OtherLanguages />
    </main>
  );
}
