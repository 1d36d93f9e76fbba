import { Text, Title } from '@mantine/core';
import { useNavigate, useSearchParams } from 'react-router';
import { Logo } from '@/components/brand/Logo';
import { FormProblem } from '@/components/ui/FormProblem';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { oidcProblemText } from './oidcProblems';
import { SignInForm } from './SignInForm';
import { safeTarget } from './safeTarget';

export default function LoginPage() {
  usePageTitle('Sign in');
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const target = safeTarget(params.get('next'));
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo />
        <div>
          <Title order={1}>Sign in</Title>
          <Text size="sm" c="var(--text-dim)">
            NGINX performance experiments with live charts and sound statistics.
          </Text>
        </div>
        <FormProblem message={oidcProblemText(params.get('problem')) ?? undefined} />
        <SignInForm target={target} onSignedIn={() => void navigate(target, { replace: true })} />
      </div>
    </main>
  );
}
