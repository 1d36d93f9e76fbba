import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { getApiDocument } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import type { ApiDocument } from '../model/document';

/** The server's own OpenAPI document. It changes with the backend's version only. */
export function useApiDocument() {
  return useQuery({
    queryKey: queryKeys.apiDocument,
    queryFn: async ({ signal }) =>
      (await unwrap(getApiDocument({ signal, throwOnError: true }))) as unknown as ApiDocument,
    staleTime: Number.POSITIVE_INFINITY,
  });
}
