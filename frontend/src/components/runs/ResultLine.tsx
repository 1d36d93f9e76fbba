import { Prose } from '@/components/ui/Prose';
import classes from './ResultLine.module.css';

/** What a run showed, in two lines of a table at most. */
export function ResultLine({ text }: { text: string }) {
  return (
    <span className={classes.verdictLine} lang="en">
      <Prose text={text} />
    </span>
  );
}
