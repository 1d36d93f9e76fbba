import { type RefObject, useEffect } from 'react';

/** What a reader does who has found what was linked, or looks for something else. */
const READS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

function linkedPart(): Element | null {
  try {
    return document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  } catch {
    return null; // no address of ours
  }
}

/**
 * Show the part of `content` that the address names. It may come late, and so do the charts above it, so it is shown
 * again whenever the content grows, until the reader does something.
 */
export function useLinkedPart(content: RefObject<Element | null>): void {
  useEffect(() => {
    const observer = new ResizeObserver(() => linkedPart()?.scrollIntoView());
    const stop = () => observer.disconnect();
    const follow = () => {
      stop();
      if (content.current && window.location.hash.length > 1) observer.observe(content.current);
    };
    follow();
    window.addEventListener('hashchange', follow);
    for (const act of READS) window.addEventListener(act, stop, { passive: true });
    return () => {
      stop();
      window.removeEventListener('hashchange', follow);
      for (const act of READS) window.removeEventListener(act, stop);
    };
  }, [content]);
}
