import { type KeyboardEvent, type PointerEvent, useMemo, useState } from 'react';

/**
 * Whether something is asked to explain itself: under the pointer, and while it has the focus, by keyboard or by a tap.
 * A tooltip's own events know no tap: with the finger goes what its pointer opened.
 */
export function useAsked() {
  const [isOpen, setOpen] = useState(false);
  const asked = useMemo(() => {
    const byMouse = (open: boolean) => (event: PointerEvent) =>
      event.pointerType === 'mouse' && setOpen(open);
    return {
      onPointerEnter: byMouse(true),
      onPointerLeave: byMouse(false),
      onFocus: () => setOpen(true),
      onBlur: () => setOpen(false),
      onKeyDown: (event: KeyboardEvent) => event.key === 'Escape' && setOpen(false),
    };
  }, []);
  return { isOpen, asked };
}
