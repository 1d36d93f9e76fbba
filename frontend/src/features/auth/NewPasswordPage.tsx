import { Text, Title } from '@mantine/core';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { useMe } from '@/api/useMe';
import { PasswordForm } from '@/components/access/PasswordForm';
import { Logo } from '@/components/brand/Logo';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { safeTarget } from './safeTarget';

/** After the first sign-in: a password of one's own instead of the one-time password. */
export default function NewPasswordPage() {
  usePageTitle('New password');
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { data: me } = useMe();
  const target = safeTarget(params.get('next'));
  if (me === null) return <Navigate to={`/login?next=${encodeURIComponent(target)}`} replace />;
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo />
        <div>
          <Title order={1}>Choose your password</Title>
          <Text size="sm" c="var(--text-dim)">
            {me?.account.email} has a one-time password. Replace it with one that only you know.
          </Text>
        </div>
        <PasswordForm
          current="One-time password"
          onChanged={() => void navigate(target, { replace: true })}
        />
      </div>
    </main>
  );
}
