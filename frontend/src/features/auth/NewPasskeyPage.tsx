import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { listPasskeysOptions } from '@/api/generated';
import { useMe } from '@/api/session';
import { AddPasskeyForm } from '@/components/access/AddPasskeyForm';
import { WherePossible } from '@/components/access/PasskeyObstacle';
import { Logo } from '@/components/Logo';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import classes from './auth.module.css';
import { safeTarget } from './LoginPage';

/** Where the installation demands a passkey: for whoever has none yet. */
export default function NewPasskeyPage() {
  usePageTitle(t`New passkey`);
  const [params] = useSearchParams();
  const navigate = useNavigate();
  const { data: me } = useMe();
  const query = useQuery({ ...listPasskeysOptions(), enabled: Boolean(me) });
  const target = safeTarget(params.get('next'));
  if (me === null) return <Navigate to={`/login?next=${encodeURIComponent(target)}`} replace />;
  return (
    <main className={classes.page}>
      <div className={classes.card}>
        <Logo />
        <div>
          <Title order={1}>{t`Add a passkey`}</Title>
          <Text size="sm" c="var(--text-dim)">
            <Trans>
              {me?.account.email} needs a passkey here: a key in your phone, computer or security key, which
              you use after your password.
            </Trans>
          </Text>
        </div>
        <QueryView query={query} skeleton={[160]}>
          {(passkeys) => (
            <WherePossible passkeys={passkeys}>
              <AddPasskeyForm
                needsPassword={passkeys.items.length === 0}
                onAdded={() => void navigate(target, { replace: true })}
              />
            </WherePossible>
          )}
        </QueryView>
      </div>
    </main>
  );
}
