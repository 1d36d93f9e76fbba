import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ConfigCheckCreate, createConfigCheck } from '@/api/generated';

/** Ask a host's own nginx about the configuration of every arm. */
export function useCheckOnHost() {
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ConfigCheckCreate) => unwrap(createConfigCheck({ body, throwOnError: true })),
  });
}
