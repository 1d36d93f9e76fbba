import { useCallback } from 'react';
import { useAddress } from './useAddress';

/** A piece of page state (a tab, a filter) that lives in the address. The fallback is not written there. */
export function useSearchState(name: string, fallback = ''): [string, (value: string | null) => void] {
  const [params, change] = useAddress();
  const set = useCallback(
    (value: string | null) => change({ [name]: value === fallback ? null : value }),
    [name, fallback, change],
  );
  return [params.get(name) ?? fallback, set];
}
