import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listIdentities, permitLink } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Which accounts sign in at the provider, and which may be linked to it. */
export function useIdentities() {
  return useQuery({
    queryKey: queryKeys.identities,
    queryFn: ({ signal }) => unwrap(listIdentities({ signal, throwOnError: true })),
  });
}

export function usePermitLink() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ id, allowed }: { id: string; allowed: boolean }) =>
      unwrap(permitLink({ path: { account_id: id }, body: { allowed }, throwOnError: true })),
    onSettled: () => queryClient.invalidateQueries({ queryKey: queryKeys.identities }),
  });
}
