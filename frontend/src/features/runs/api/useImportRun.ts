import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { importRun } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Take in the archive of a run that another installation measured. */
export function useImportRun() {
  const queryClient = useQueryClient();
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (archive: File) =>
      unwrap(
        importRun({ body: archive, headers: { 'Content-Type': 'application/zip' }, throwOnError: true }),
      ),
    onSuccess: () => {
      void queryClient.invalidateQueries({ queryKey: queryKeys.experiments });
      void queryClient.invalidateQueries({ queryKey: queryKeys.runs });
    },
  });
}
