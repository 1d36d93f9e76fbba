import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { chooseLanguage, type Me } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import type { Language } from '@/lib/language/language';

/** For other browsers of the same person, in which nothing else was chosen. */
export function useKeepLanguage() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: (language: Language) => unwrap(chooseLanguage({ body: { language }, throwOnError: true })),
    onSuccess: (_, language) =>
      queryClient.setQueryData<Me | null>(queryKeys.me, (me) => me && { ...me, language }),
  });
}
