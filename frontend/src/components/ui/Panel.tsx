import { Title, UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconChevronRight } from '@tabler/icons-react';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef } from 'react';
import classes from './Panel.module.css';

interface Fold {
  isOpen: boolean;
  onChange: (isOpen: boolean) => void;
}

interface Props {
  title?: ReactNode;
  /** After the title, and no part of it. */
  beside?: ReactNode;
  note?: ReactNode;
  actions?: ReactNode;
  id?: string;
  /** Tables and lists go edge to edge. */
  flush?: boolean;
  /** Where its title opens and closes it. */
  fold?: Fold | undefined;
  children: ReactNode;
}

/** What is closed stays in the page: a search for its words opens it, where the browser can do that. */
function FoldedBody({
  id,
  fold: { isOpen, onChange },
  children,
}: {
  id: string;
  fold: Fold;
  children: ReactNode;
}) {
  const body = useRef<HTMLDivElement>(null);
  const change = useRef(onChange);
  change.current = onChange;
  useEffect(() => {
    const open = () => change.current(true);
    const element = body.current;
    element?.addEventListener('beforematch', open);
    return () => element?.removeEventListener('beforematch', open);
  }, []);
  useLayoutEffect(() => {
    if (isOpen) body.current?.removeAttribute('hidden');
    else body.current?.setAttribute('hidden', 'until-found'); // React knows no such value
  }, [isOpen]);
  return (
    <div ref={body} id={id} className={classes.panelBody}>
      {children}
    </div>
  );
}

function FoldTitle({
  body,
  fold: { isOpen, onChange },
  children,
}: {
  body: string;
  fold: Fold;
  children: ReactNode;
}) {
  const Sign = isOpen ? IconChevronDown : IconChevronRight;
  return (
    <UnstyledButton
      className={classes.fold}
      aria-expanded={isOpen}
      aria-controls={body}
      onClick={() => onChange(!isOpen)}
    >
      <Sign size={16} aria-hidden className="no-print" />
      {children}
    </UnstyledButton>
  );
}

export function Panel({ title, beside, note, actions, id, flush = false, fold, children }: Props) {
  const body = useId();
  const isClosed = fold !== undefined && !fold.isOpen;
  return (
    <section
      id={id}
      className={classes.panel}
      data-flush={flush || undefined}
      data-closed={isClosed || undefined}
    >
      {(title || actions) && (
        <div className={classes.panelHead}>
          <div>
            <div className={classes.panelTitle}>
              {title && (
                <Title order={2}>
                  {fold ? (
                    <FoldTitle body={body} fold={fold}>
                      {title}
                    </FoldTitle>
                  ) : (
                    title
                  )}
                </Title>
              )}
              {beside}
            </div>
            {note && <p className={classes.panelNote}>{note}</p>}
          </div>
          {!isClosed && actions}
        </div>
      )}
      {fold ? (
        <FoldedBody id={body} fold={fold}>
          {children}
        </FoldedBody>
      ) : (
        <div className={classes.panelBody}>{children}</div>
      )}
    </section>
  );
}
