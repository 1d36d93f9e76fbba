import { t } from '@lingui/core/macro';
import { Anchor } from '@mantine/core';
import type { ReactNode } from 'react';
import { Link } from 'react-router';
import type { TrendRun } from '@/api/generated';
import { useShareToken } from '@/api/shareToken';

/** Leads to the comparison of a run with the one before it. */
export function CompareLink({ run: { id, number, before } }: { run: TrendRun }) {
  if (!before) return '–';
  return (
    <Anchor
      component={Link}
      to={`/compare?runs=${before},${id}`}
      aria-label={t`Compare #${number} with the run before`}
    >
      {t`with the run before`}
    </Anchor>
  );
}

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
