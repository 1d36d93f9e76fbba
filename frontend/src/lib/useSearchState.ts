import { useCallback } from 'react';
import { useSearchParams } from 'react-router';

/** A piece of page state (a tab, a filter) that lives in the address. The fallback is not written there. */
export function useSearchState(name: string, fallback = ''): [string, (value: string | null) => void] {
  const [params, setParams] = useSearchParams();
  const set = useCallback(
    (value: string | null) =>
      setParams(
        (current) => {
          const next = new URLSearchParams(current);
          if (value === null || value === fallback) next.delete(name);
          else next.set(name, value);
          return next;
        },
        { replace: true, preventScrollReset: true },
      ),
    [name, fallback, setParams],
  );
  return [params.get(name) ?? fallback, set];
}
