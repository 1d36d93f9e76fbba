import { useQuery } from '@tanstack/react-query';
import type { ShareSubject } from './subjects';

/** The links that show something. */
export function useShares({ key, list }: ShareSubject) {
  return useQuery({ queryKey: key, queryFn: ({ signal }) => list(signal) });
}
