import type { Report } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import { Badges } from './Badges';
import { Cautions } from './Cautions';
import classes from './VerdictSection.module.css';

type Statement = Report['analysis']['statements'][number];

function StatementLine({ statement: { verdict, text } }: { statement: Statement }) {
  const isDecided = verdict !== null && verdict !== 'undecided';
  return (
    <p className={isDecided ? classes.headline : classes.open}>
      <Prose text={text} />
    </p>
  );
}

/** The statement a reader takes away, what qualifies it, and the template's own reading. */
export function VerdictSection({ report }: { report: Report }) {
  const { analysis, findings } = report;
  const conclusion = findings?.conclusion ?? [];
  return (
    <section className={classes.verdictSection} aria-label="Verdict">
      <Cautions report={report} />
      {analysis.not_valid && (
        <p className={classes.headline}>
          <Prose text={analysis.not_valid} />
        </p>
      )}
      {analysis.statements.map((statement) => (
        <StatementLine
          key={`${statement.arm} ${statement.stream} ${statement.metric}`}
          statement={statement}
        />
      ))}
      {analysis.more_or_longer?.map((advice) => (
        <p key={advice} className={classes.open}>
          <Prose text={advice} />
        </p>
      ))}
      <p className={classes.open}>
        <Prose text={analysis.qualification} />
      </p>
      {analysis.margin_note && <p className={classes.open}>{analysis.margin_note}</p>}
      {conclusion.length > 0 && (
        <ul className={classes.conclusion}>
          {conclusion.map((sentence) => (
            <li key={sentence}>
              <Prose text={sentence} />
            </li>
          ))}
        </ul>
      )}
      <Badges report={report} />
    </section>
  );
}
