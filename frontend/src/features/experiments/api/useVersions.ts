import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listVersions } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** All versions of an experiment, newest first. `latest` is the newest known: a later one asks again. */
export function useVersions(experimentId: string, latest: number) {
  return useQuery({
    queryKey: [...queryKeys.versions(experimentId), latest],
    queryFn: ({ signal }) =>
      unwrap(listVersions({ path: { experiment_id: experimentId }, signal, throwOnError: true })),
  });
}
