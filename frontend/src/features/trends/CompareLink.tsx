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
      aria-label={`Compare #${number} with the run before`}
    >
      with the run before
    </Anchor>
  );
}
