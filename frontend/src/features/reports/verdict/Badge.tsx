import { Term } from '@/components/ui/term/Term';
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
    <Term help={said(help)} className={strong ? `${classes.badge} ${classes.strong}` : classes.badge}>
      {said(label)}
    </Term>
  );
}
