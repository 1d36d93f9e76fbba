import { useCallback, useEffect, useRef } from 'react';
import { useLocation, useSearchParams } from 'react-router';

/** A piece of page state (a tab, a filter) that lives in the address. The fallback is not written there. */
export function useSearchState(name: string, fallback = ''): [string, (value: string | null) => void] {
  const [params, change] = useAddress();
  const set = useCallback(
    (value: string | null) => change({ [name]: value === fallback ? null : value }),
    [name, fallback, change],
  );
  return [params.get(name) ?? fallback, set];
}

type Values = Record<string, string | null>;

/** The change that is asked for and not drawn yet, from which the next one goes on. */
let asked: URLSearchParams | null = null;

/** A page's state that lives in its address: what it is, and how to change a part of it. Changes in a row are all kept. */
export function useAddress(): [URLSearchParams, (values: Values) => void] {
  const { key } = useLocation();
  const [params, setParams] = useSearchParams();
  // A change may be asked for by a function of an earlier drawing: a search does so once its reader stops typing.
  const drawn = useRef({ params, setParams });
  useEffect(() => {
    drawn.current = { params, setParams };
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: wherever the page is then, what was asked for is over
  useEffect(() => {
    asked = null;
  }, [key]);
  const change = useCallback((values: Values) => {
    const next = new URLSearchParams(asked ?? drawn.current.params);
    for (const [name, value] of Object.entries(values)) {
      if (value) next.set(name, value);
      else next.delete(name);
    }
    asked = next;
    drawn.current.setParams(next, { replace: true, preventScrollReset: true });
  }, []);
  return [params, change];
}
