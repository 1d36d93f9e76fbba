import { Tooltip } from '@mantine/core';
import { type KeyboardEvent, type PointerEvent, type ReactNode, useMemo, useState } from 'react';
import classes from './Term.module.css';

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

interface Props {
  help: ReactNode;
  /** Its look, if not that of a word in a text. */
  className?: string;
  children: ReactNode;
}

/** A word of the trade that explains itself when asked. */
export function Term({ help, className = classes.term, children }: Props) {
  const { isOpen, asked } = useAsked();
  return (
    <Tooltip label={help} opened={isOpen}>
      <span
        className={className}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation must be reachable by keyboard
        tabIndex={0}
        {...asked}
      >
        {children}
      </span>
    </Tooltip>
  );
}
