import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Title } from '@mantine/core';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { useMe } from '@/api/session';
import { PasswordForm } from '@/components/access/PasswordForm';
import { Logo } from '@/components/Logo';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { safeTarget } from './LoginPage';

/** After the first sign-in: a password of one's own instead of the one-time password. */
export default function NewPasswordPage() {
  usePageTitle(t`New password`);
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
          <Title order={1}>{t`Choose your password`}</Title>
          <Text size="sm" c="var(--text-dim)">
            <Trans>
              {me?.account.email} has a one-time password. Replace it with one that only you know.
            </Trans>
          </Text>
        </div>
        <PasswordForm
          current={t`One-time password`}
          onChanged={() => void navigate(target, { replace: true })}
        />
      </div>
    </main>
  );
}
