import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import { useShareToken } from '@/api/sharing/access';

/** Leads to a run's report; only names it where the reader has no account. */
export function RunLink({ id, children }: { id: string; children: ReactNode }) {
  const token = useShareToken();
  if (token !== null) return <b>{children}</b>;
  return (
    <Anchor component={Link} to={`/runs/${id}/report`} fw={600}>
      {children}
    </Anchor>
  );
}
