import { t } from '@lingui/core/macro';
import { UnstyledButton } from '@mantine/core';
import { IconChevronDown, IconList } from '@tabler/icons-react';
import { useId, useState } from 'react';
import classes from './Contents.module.css';
import type { SectionEntry } from './sections';
import { useCurrentSection } from './useCurrentSection';

/** The sections of the report, beside it and in sight; where there is no room for that, a bar that unfolds. */
export function Contents({ sections }: { sections: readonly SectionEntry[] }) {
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
            <a href={`#${id}`} aria-current={id === current ? 'location' : undefined} onClick={close}>
              {title}
            </a>
          </li>
        ))}
      </ol>
    </nav>
  );
}
