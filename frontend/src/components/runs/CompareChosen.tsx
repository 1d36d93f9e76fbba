import { t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { IconArrowsDiff } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import type { Selection } from './RunsTable';

const MOST = 8;

/** The runs that are chosen for a comparison, in the order of choosing: the first is the baseline. */
export function useSelection(): Selection & { clear: () => void } {
  const [chosen, setChosen] = useState<readonly string[]>([]);
  const toggle = (id: string) =>
    setChosen((now) => (now.includes(id) ? now.filter((one) => one !== id) : [...now, id].slice(-MOST)));
  return { chosen, toggle, clear: () => setChosen([]) };
}

/** Leads to the comparison of the chosen runs; of one, to the choice of a second. */
export function CompareChosen({ chosen }: { chosen: readonly string[] }) {
  const count = chosen.length;
  if (count === 0) return null;
  return (
    <Button
      component={Link}
      to={`/compare?runs=${chosen.join(',')}`}
      leftSection={<IconArrowsDiff size={14} />}
      size="sm"
    >
      {count === 1 ? t`Compare with…` : t`Compare ${count} runs`}
    </Button>
  );
}
