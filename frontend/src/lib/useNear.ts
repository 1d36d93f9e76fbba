import { type RefObject, useEffect, useRef, useState } from 'react';

/** So far ahead of what is seen, a part of the page begins to load, once its reader moves or the page rests. */
const AHEAD = '800px 0px';

/** What is seen first has the line and the processor to itself for so long. */
const REST_MS = 1000;

interface Options {
  /** Whatever is far, too, once the page is at rest: it may be printed, or looked for. */
  orWhenIdle: boolean;
}

/** Safari has no word for being idle. */
function whenAtRest(act: () => void): () => void {
  let request: number | undefined;
  const timer = setTimeout(() => {
    if ('requestIdleCallback' in window) request = requestIdleCallback(act);
    else act();
  }, REST_MS);
  return () => {
    clearTimeout(timer);
    if (request !== undefined) cancelIdleCallback(request);
  };
}

/** Whether the element has come near what is seen. What was near once stays so. */
export function useNear<T extends Element>({
  orWhenIdle,
}: Options): [ref: RefObject<T | null>, isNear: boolean] {
  const ref = useRef<T>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = ref.current;
    if (isNear || !element) return;
    const come = () => setNear(true);
    const observers: IntersectionObserver[] = [];
    const watch = (rootMargin: string) => {
      const observer = new IntersectionObserver(
        (entries) => entries.some(({ isIntersecting }) => isIntersecting) && come(),
        { rootMargin },
      );
      observer.observe(element);
      observers.push(observer);
    };
    const lookAhead = () => watch(AHEAD);
    watch('0px');
    window.addEventListener('scroll', lookAhead, { once: true, passive: true });
    if (orWhenIdle) window.addEventListener('beforeprint', come);
    const cancel = whenAtRest(orWhenIdle ? come : lookAhead);
    return () => {
      window.removeEventListener('scroll', lookAhead);
      window.removeEventListener('beforeprint', come);
      for (const observer of observers) observer.disconnect();
      cancel();
    };
  }, [isNear, orWhenIdle]);
  return [ref, isNear];
}
