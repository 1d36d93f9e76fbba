import { useMutation, useQueryClient } from '@tanstack/react-query';
import type { ShareSubject } from './subjects';

/** A link that shows something without an account. */
export function useCreateShare({ key, create }: ShareSubject) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: create,
    onSuccess: () => queryClient.invalidateQueries({ queryKey: key }),
  });
}
