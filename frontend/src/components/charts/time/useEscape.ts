import { useEffect } from 'react';

/** In these, Escape means something else. */
const OWN_ESCAPE = '[role="dialog"], [role="menu"], nav';

/** Escape does `act`, once, unless it means something where the keyboard is. */
export function useEscape(act: (() => void) | null): void {
  useEffect(() => {
    if (!act) return;
    const look = (event: KeyboardEvent) => {
      const isElsewhere = event.target instanceof Element && event.target.closest(OWN_ESCAPE) !== null;
      if (event.key !== 'Escape' || event.defaultPrevented || isElsewhere) return;
      event.preventDefault();
      act();
    };
    window.addEventListener('keydown', look);
    return () => window.removeEventListener('keydown', look);
  }, [act]);
}
