import { useMutation, useQueryClient } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import {
  type ChannelCreate,
  type ChannelUpdate,
  createChannel,
  removeChannel,
  sendTest,
  updateChannel,
} from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

/** After each change of a channel the list is read again. */
function useRead() {
  const queryClient = useQueryClient();
  return () => queryClient.invalidateQueries({ queryKey: queryKeys.notifications });
}

/** A new channel; the secret of a webhook is in the answer only. */
export function useCreateChannel() {
  return useMutation({
    meta: { errorShownInPlace: true },
    mutationFn: (body: ChannelCreate) => unwrap(createChannel({ body, throwOnError: true })),
    onSuccess: useRead(),
  });
}

export function useUpdateChannel(id: string) {
  return useMutation({
    mutationFn: (body: ChannelUpdate) =>
      unwrap(updateChannel({ path: { channel_id: id }, body, throwOnError: true })),
    onSuccess: useRead(),
  });
}

export function useRemoveChannel(id: string) {
  return useMutation({
    mutationFn: () => unwrap(removeChannel({ path: { channel_id: id }, throwOnError: true })),
    onSuccess: useRead(),
  });
}

export function useSendTest(id: string) {
  return useMutation({
    mutationFn: () => unwrap(sendTest({ path: { channel_id: id }, throwOnError: true })),
    onSuccess: useRead(),
  });
}
