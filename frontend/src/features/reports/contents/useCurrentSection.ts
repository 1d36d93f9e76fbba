import { useEffect, useState } from 'react';
import type { SectionEntry } from './sections';

/** Below this line of the window, in pixels, a section has not been reached yet. */
const READING_LINE = 120;

function reached(sections: readonly SectionEntry[]): string | undefined {
  const top = ({ id }: SectionEntry) => document.getElementById(id)?.getBoundingClientRect().top ?? 0;
  return (sections.findLast((section) => top(section) <= READING_LINE) ?? sections[0])?.id;
}

/** The section that is being read. */
export function useCurrentSection(sections: readonly SectionEntry[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setCurrent(reached(sections)));
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', look);
    };
  }, [sections]);
  return current;
}
