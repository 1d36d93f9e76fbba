import { Suspense } from 'react';
import { lazyPart } from './lazyPart';
import classes from './Markdown.module.css';

const Rendered = lazyPart(() => import('./RenderedMarkdown').then(({ Rendered }) => Rendered));

/** A person's Markdown. It is shown as plain text until the renderer is loaded. */
export function Markdown({ text }: { text: string }) {
  return (
    <div className={classes.markdown}>
      <Suspense fallback={<p className={classes.plain}>{text}</p>}>
        <Rendered text={text} />
      </Suspense>
    </div>
  );
}
