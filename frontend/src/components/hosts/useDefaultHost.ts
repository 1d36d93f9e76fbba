import { useState } from 'react';
import { useHosts } from '@/api/useHosts';

/** The host chosen in a form; until one is chosen, the first that could take a run. */
export function useDefaultHost(): [string | null, (hostId: string | null) => void] {
  const { data: hosts } = useHosts();
  const [chosen, choose] = useState<string | null>(null);
  const suggested =
    hosts?.find((host) => host.state === 'idle') ?? hosts?.find((host) => host.state === 'busy');
  return [chosen ?? suggested?.id ?? null, choose];
}
