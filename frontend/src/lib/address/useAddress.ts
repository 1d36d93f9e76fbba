import { useCallback, useEffect, useRef } from 'react';
import { useLocation, useSearchParams } from 'react-router';

/** What an address says behind its `?`; empty, or null: not there. */
type Values = Record<string, string | null>;

/** What was asked for and is not drawn yet: the next change goes on from there. */
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
