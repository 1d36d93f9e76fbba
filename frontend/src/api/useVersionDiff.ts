import { useQuery } from '@tanstack/react-query';
import { unwrap } from './client';
import { compareVersions } from './generated';
import { queryKeys } from './queryKeys';

/** What changed between two versions of an experiment. Versions never change, so neither does this. */
export function useVersionDiff(experimentId: string, before: number, after: number) {
  return useQuery({
    queryKey: queryKeys.versionDiff(experimentId, before, after),
    queryFn: ({ signal }) =>
      unwrap(
        compareVersions({ path: { experiment_id: experimentId, before, after }, signal, throwOnError: true }),
      ),
    staleTime: Number.POSITIVE_INFINITY,
  });
}
