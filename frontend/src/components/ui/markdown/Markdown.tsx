import { Suspense } from 'react';
import { lazyPart } from '../lazy/lazyPart';
import classes from './Markdown.module.css';

const Rendered = lazyPart(() => import('./Rendered').then(({ Rendered }) => Rendered));

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
