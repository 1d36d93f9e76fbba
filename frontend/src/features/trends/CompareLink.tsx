import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { TrendRun } from '@/api/generated';

/** Leads to the comparison of a run with the one before it. */
export function CompareLink({ run: { id, number, before } }: { run: TrendRun }) {
  if (!before) return '–';
  return (
    <Anchor
      component={Link}
      to={`/compare?runs=${before},${id}`}
      aria-label={t`Compare #${number} with the run before`}
    >
      <Trans>with the run before</Trans>
    </Anchor>
  );
}
