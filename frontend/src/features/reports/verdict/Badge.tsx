import { Tooltip } from '@mantine/core';
import { said } from '@/lib/language/serverText';
import classes from './Badge.module.css';

interface Props {
  badge: { label: string; help: string };
  /** A reader must know it before any figure. */
  strong?: boolean;
}

/** Something to know of a measurement, in a few words that explain themselves when asked. */
export function Badge({ badge: { label, help }, strong = false }: Props) {
  return (
    <Tooltip label={said(help)} events={{ hover: true, focus: true, touch: true }}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: its explanation must be reachable by keyboard */}
      <span className={classes.badge} data-strong={strong || undefined} tabIndex={0}>
        {said(label)}
      </span>
    </Tooltip>
  );
}
