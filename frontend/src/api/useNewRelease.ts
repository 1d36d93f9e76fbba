import { useQuery } from '@tanstack/react-query';
import { isOutdated } from '@/lib/release/release';
import { queryKeys } from './queryKeys';

const ASK_EVERY_MS = 5 * 60_000;

/** Whether a newer version of the application was installed since this page was opened. */
export function useNewRelease(): boolean {
  const { data = false } = useQuery({
    queryKey: queryKeys.release,
    queryFn: isOutdated,
    staleTime: 60_000,
    refetchInterval: ({ state }) => (state.data ? false : ASK_EVERY_MS),
  });
  return data;
}
