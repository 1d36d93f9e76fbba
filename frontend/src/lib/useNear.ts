import { type RefObject, useEffect, useRef, useState } from 'react';

/** So far ahead of what is seen, a part of the page begins to load. */
const AHEAD = '800px 0px';

interface Options {
  /** Whatever is far, too, once the browser has nothing else to do: it may be printed, or looked for. */
  orWhenIdle: boolean;
}

/** Safari has no word for being idle. */
function whenIdle(act: () => void): () => void {
  if (!('requestIdleCallback' in window)) {
    const timer = setTimeout(act, 200);
    return () => clearTimeout(timer);
  }
  const request = requestIdleCallback(act);
  return () => cancelIdleCallback(request);
}

/** Whether the element has come near what is seen. What was near once stays so. */
export function useNear<T extends Element>({
  orWhenIdle,
}: Options): [ref: RefObject<T | null>, isNear: boolean] {
  const ref = useRef<T>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    if (isNear || !ref.current) return;
    const come = () => setNear(true);
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && come(),
      { rootMargin: AHEAD },
    );
    observer.observe(ref.current);
    const cancel = orWhenIdle ? whenIdle(come) : undefined;
    return () => {
      observer.disconnect();
      cancel?.();
    };
  }, [isNear, orWhenIdle]);
  return [ref, isNear];
}
