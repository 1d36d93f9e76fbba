import { useQuery } from '@tanstack/react-query';
import { unwrap } from '@/api/client';
import { listCalibrations } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';

export function useCalibrations(hostId: string) {
  return useQuery({
    queryKey: queryKeys.calibrations(hostId),
    queryFn: ({ signal }) =>
      unwrap(listCalibrations({ path: { host_id: hostId }, signal, throwOnError: true })),
  });
}
