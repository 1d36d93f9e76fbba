import { Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Navigate, useNavigate, useSearchParams } from 'react-router';
import { useMe } from '@/api/session';
import { Logo } from '@/components/Logo';
import { Dim } from '@/components/ui/Dim';
import classes from './auth.module.css';
import { safeTarget } from './LoginPage';

interface Props {
  title: string;
  /** Why it is asked of the person with this address. */
  reason: (person: string) => ReactNode;
  /** What to do; afterwards the reader is led to where they wanted to go. */
  children: (onDone: () => void) => ReactNode;
}

/** The card of what must be done after signing in, before anything else. */
export function FirstThing({ title, reason, children }: Props) {
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
          <Title order={1}>{title}</Title>
          <Dim>{reason(me?.account.email ?? '')}</Dim>
        </div>
        {children(() => void navigate(target, { replace: true }))}
      </div>
    </main>
  );
}
