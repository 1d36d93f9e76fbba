import { i18n } from '@lingui/core';
import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { type AssignedProblem, SECTIONS, sectionOf } from './model/problems';
import classes from './SectionNav.module.css';

function Count({ of }: { of: number }) {
  return (
    <span className={classes.navCount}>
      <Trans>
        {of}
        <span className="visually-hidden"> problems</span>
      </Trans>
    </span>
  );
}

/** Ways to the sections, each with the number of its problems. */
export function SectionNav({ problems }: { problems: readonly AssignedProblem[] }) {
  const counts = new Map<string, number>();
  for (const { field } of problems) {
    const id = sectionOf(field)?.id ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return (
    <nav className={classes.nav} aria-label={t`Sections`}>
      {SECTIONS.map(({ id, title }) => (
        <a
          key={id}
          href={`#section-${id}`}
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(`section-${id}`)?.scrollIntoView({ block: 'start' });
          }}
        >
          {i18n._(title)}
          {counts.has(id) && <Count of={counts.get(id) ?? 0} />}
        </a>
      ))}
    </nav>
  );
}
