import { type ReactNode, useRef } from 'react';
import { Contents } from './Contents';
import classes from './Contents.module.css';
import { SectionsProvider, useSections } from './sections';
import { useLinkedPart } from './useLinkedPart';

/** A report with its contents, opened at the part that the address names. */
export function WithContents({ children }: { children: ReactNode }) {
  const [sections, add] = useSections();
  const content = useRef<HTMLDivElement>(null);
  useLinkedPart(content);
  return (
    <SectionsProvider value={add}>
      <div className={classes.layout}>
        <Contents sections={sections} />
        <div ref={content} className={classes.content}>
          {children}
        </div>
      </div>
    </SectionsProvider>
  );
}
