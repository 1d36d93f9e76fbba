import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { type ChannelOut, getNotifications } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** Something is being sent, or will be tried again. */
export const isOnItsWay = ({ last }: ChannelOut) => last !== null && last.next_attempt_at !== null;

/** Where one is told; looked at again while something is on its way. */
export function useNotifications() {
  return useQuery({
    queryKey: queryKeys.notifications,
    queryFn: ({ signal }) => unwrap(getNotifications({ signal, throwOnError: true })),
    refetchInterval: ({ state }) => (state.data?.channels.some(isOnItsWay) ? 2_000 : false),
  });
}
