import { lazy, Suspense } from 'react';
import classes from './Markdown.module.css';

const Rendered = lazy(() => import('./Rendered').then((module) => ({ default: module.Rendered })));

/** What a person wrote in Markdown. Until the code that reads it has arrived, it stands as it was written. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <Suspense fallback={<p className={classes.plain}>{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  );
}
