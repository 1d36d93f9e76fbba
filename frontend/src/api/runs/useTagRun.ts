import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '../client';
import { tagRun } from '../generated';
import { queryKeys } from '../queryKeys';

interface Retagging {
  /** What the run has now, as the reader sees it. */
  before: readonly string[];
  after: readonly string[];
}

/** Change the tags of a run; only the differences are sent, so that two people do not undo each other. */
export function useTagRun(id: string) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: ({ before, after }: Retagging) => {
      const body = {
        add: after.filter((tag) => !before.includes(tag)),
        remove: before.filter((tag) => !after.includes(tag)),
      };
      return unwrap(tagRun({ path: { run_id: id }, body, throwOnError: true }));
    },
    onSuccess: () => queryClient.invalidateQueries({ queryKey: queryKeys.runs }),
  });
}
