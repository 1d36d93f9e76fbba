import { useMutation } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ConfigTestCreate, createConfigTest } from '@/api/generated';

/** Ask a host's own nginx about the configuration of every arm. */
export function useTestOnHost() {
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ConfigTestCreate) => unwrap(createConfigTest({ body, throwOnError: true })),
  });
}
