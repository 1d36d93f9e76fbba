import { useMemo } from 'react';
import type { RunDetail } from '@/api/generated';
import { useNow } from '@/lib/useNow';

/** The server's clock, ticking here: a browser's own may be minutes off. Milliseconds. */
export function useServerNow(run: RunDetail, active: boolean): number {
  const now = useNow(1000, active);
  const offset = useMemo(() => Date.parse(run.server_time) - Date.now(), [run.server_time]);
  return now + offset;
}
