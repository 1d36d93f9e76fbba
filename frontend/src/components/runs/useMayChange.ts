import type { RunSummary } from '@/api/generated';
import { useHasRole, useMe } from '@/api/session';

/** Its author, or an administrator. The backend decides; this only hides what it would refuse. */
export function useMayChange({ created_by }: Pick<RunSummary, 'created_by'>): boolean {
  const { data: me } = useMe();
  const mayExperiment = useHasRole('experimenter');
  const isAdministrator = useHasRole('administrator');
  return isAdministrator || (mayExperiment && me?.account.email === created_by);
}
