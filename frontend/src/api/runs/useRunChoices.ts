import { useQuery } from '@tanstack/react-query';
import { unwrap } from '../client';
import { listRunChoices } from '../generated';
import { queryKeys } from '../queryKeys';

/** The templates, hosts, versions of nginx, people and tags that runs can be filtered by. */
export function useRunChoices() {
  return useQuery({
    queryKey: queryKeys.runChoices,
    queryFn: ({ signal }) => unwrap(listRunChoices({ signal, throwOnError: true })),
    staleTime: 60_000,
  });
}
