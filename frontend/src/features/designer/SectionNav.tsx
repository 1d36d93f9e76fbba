import { type AssignedProblem, SECTIONS, sectionOf } from './model/problems';
import classes from './SectionNav.module.css';

/** Ways to the sections, each with the number of its problems. */
export function SectionNav({ problems }: { problems: readonly AssignedProblem[] }) {
  const counts = new Map<string, number>();
  for (const { field } of problems) {
    const id = sectionOf(field)?.id ?? '';
    counts.set(id, (counts.get(id) ?? 0) + 1);
  }
  return (
    <nav className={classes.nav} aria-label="Sections">
      {SECTIONS.map(({ id, title }) => (
        <a
          key={id}
          href={`#section-${id}`}
          onClick={(event) => {
            event.preventDefault();
            document.getElementById(`section-${id}`)?.scrollIntoView({ block: 'start' });
          }}
        >
          {title}
          {counts.has(id) && (
            <span className={classes.navCount}>
              {counts.get(id)}
              <span className="visually-hidden"> problems</span>
            </span>
          )}
        </a>
      ))}
    </nav>
  );
}
