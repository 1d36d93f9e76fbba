import { t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconList } from '@tabler/icons-react';
import { type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react';
import classes from './Contents.module.css';
import { AddSection, type Folds, FoldsOfReport, type SectionEntry, useFolds, useSections } from './Section';

/** Events that show that the reader goes on by themselves. */
const READS = ['wheel', 'touchmove', 'keydown', 'pointerdown'] as const;

function linkedPart(): Element | null {
  try {
    return document.getElementById(decodeURIComponent(window.location.hash.slice(1)));
  } catch {
    return null; // no address of ours
  }
}

/**
 * Show the part of `content` that the address names, in its section, which is opened. It may come late, and so do the charts above it, so it is shown
 * again whenever the content grows, until the reader does something.
 */
function useLinkedPart(content: RefObject<Element | null>, setOpen: Folds['setOpen']): void {
  useEffect(() => {
    const open = () => {
      const part = linkedPart();
      const section = part?.closest('section[id]');
      if (section) setOpen(section.id, true);
      return part;
    };
    const sizes = new ResizeObserver(() => open()?.scrollIntoView());
    const parts = new MutationObserver(open); // what comes within a closed section changes no size
    const stop = () => {
      sizes.disconnect();
      parts.disconnect();
    };
    const follow = () => {
      stop();
      if (!content.current || window.location.hash.length <= 1) return;
      open();
      sizes.observe(content.current);
      parts.observe(content.current, { childList: true, subtree: true });
    };
    follow();
    window.addEventListener('hashchange', follow);
    for (const act of READS) window.addEventListener(act, stop, { passive: true });
    return () => {
      stop();
      window.removeEventListener('hashchange', follow);
      for (const act of READS) window.removeEventListener(act, stop);
    };
  }, [content, setOpen]);
}

/** Below this line of the window, in pixels, a section has not been reached yet. */
const READING_LINE = 120;

function reached(sections: readonly SectionEntry[]): string | undefined {
  const top = ({ id }: SectionEntry) => document.getElementById(id)?.getBoundingClientRect().top ?? 0;
  return (sections.findLast((section) => top(section) <= READING_LINE) ?? sections[0])?.id;
}

/** The section that is being read. */
function useCurrentSection(sections: readonly SectionEntry[]): string | undefined {
  const [current, setCurrent] = useState<string>();
  useEffect(() => {
    let frame = 0;
    const look = () => {
      cancelAnimationFrame(frame);
      frame = requestAnimationFrame(() => setCurrent(reached(sections)));
    };
    look();
    window.addEventListener('scroll', look, { passive: true });
    return () => {
      cancelAnimationFrame(frame);
      window.removeEventListener('scroll', look);
    };
  }, [sections]);
  return current;
}

interface ContentsProps {
  sections: readonly SectionEntry[];
  areAllOpen: boolean;
  onAll: (isOpen: boolean) => void;
  onOpen: (id: string) => void;
}

/** The sections of the report, beside it and in sight; where there is no room for that, a bar that unfolds. */
function Contents({ sections, areAllOpen, onAll, onOpen }: ContentsProps) {
  const current = useCurrentSection(sections);
  const [isOpen, setOpen] = useState(false);
  const list = useId();
  const close = () => setOpen(false);
  return (
    <nav
      aria-label={t`Contents`}
      className={`${classes.contents} no-print`}
      onKeyDown={({ key }) => key === 'Escape' && close()}
    >
      <UnstyledButton
        className={classes.toggle}
        aria-expanded={isOpen}
        aria-controls={list}
        onClick={() => setOpen(!isOpen)}
      >
        <IconList size={15} aria-hidden />
        <span>{t`Contents`}</span>
        <span className={classes.current}>{sections.find(({ id }) => id === current)?.title}</span>
        <IconChevronDown size={14} aria-hidden />
      </UnstyledButton>
      <ol id={list} className={classes.list} data-open={isOpen || undefined}>
        {sections.map(({ id, title }) => (
          <li key={id}>
            <a
              href={`#${id}`}
              aria-current={id === current ? 'location' : undefined}
              onClick={() => {
                close();
                onOpen(id); // also where it is in the address already
              }}
            >
              {title}
            </a>
          </li>
        ))}
        <li>
          <UnstyledButton className={classes.all} onClick={() => onAll(!areAllOpen)}>
            {areAllOpen ? t`Close all sections` : t`Open all sections`}
          </UnstyledButton>
        </li>
      </ol>
    </nav>
  );
}

/** A report with its contents, opened at the part that the address names. */
export function WithContents({ children }: { children: ReactNode }) {
  const [sections, add] = useSections();
  const folds = useFolds();
  const content = useRef<HTMLDivElement>(null);
  useLinkedPart(content, folds.setOpen);
  return (
    <AddSection value={add}>
      <FoldsOfReport value={folds}>
        <div className={classes.layout}>
          <Contents
            sections={sections}
            areAllOpen={folds.areAllOpen}
            onAll={folds.setAll}
            onOpen={(id) => folds.setOpen(id, true)}
          />
          <div ref={content} className={classes.content}>
            {children}
          </div>
        </div>
      </FoldsOfReport>
    </AddSection>
  );
}
