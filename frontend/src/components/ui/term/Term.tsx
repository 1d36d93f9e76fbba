import { Tooltip } from '@mantine/core';
import { type PointerEvent, type ReactNode, useState } from 'react';
import classes from './Term.module.css';

interface Props {
  /** In a sentence or two. */
  help: ReactNode;
  /** How it looks, if not as a word of a text. */
  className?: string;
  children: ReactNode;
}

/**
 * A word of the trade that explains itself when asked: under the pointer, and while it has the focus, by keyboard or by a
 * tap. The tooltip's own events know no tap: with the finger goes what its pointer opened.
 */
export function Term({ help, className = classes.term, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const byMouse = (open: boolean) => (event: PointerEvent) => event.pointerType === 'mouse' && setOpen(open);
  return (
    <Tooltip label={help} opened={isOpen}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it says more, and does nothing */}
      <span
        className={className}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation must be reachable by keyboard
        tabIndex={0}
        onPointerEnter={byMouse(true)}
        onPointerLeave={byMouse(false)}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      >
        {children}
      </span>
    </Tooltip>
  );
}
