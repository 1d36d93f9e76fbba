import { useQuery } from '@tanstack/react-query';
import type { Report } from '@/api/generated';
import { useShareToken } from '@/api/sharing/access';
import { hasRole, meQuery } from '@/api/useMe';
import type { NotedRun } from '@/domain/notes';

export function notedRun({ run, arms, trials }: Report): NotedRun {
  return { id: run.id, plan: run.plan, arms, trials: trials.map(({ trial }) => trial) };
}

/** Whether the reader may write notes: signed in, and more than a viewer. Who came by a link is not asked for. */
export function useMayWrite(): boolean {
  const isSignedIn = useShareToken() === null;
  const { data: me } = useQuery({ ...meQuery, enabled: isSignedIn });
  return isSignedIn && hasRole(me, 'experimenter');
}
