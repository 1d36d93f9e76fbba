import { Alert, Group } from '@mantine/core';
import type { Report } from '@/api/generated';
import { Prose } from '@/components/ui/Prose';
import { Badge } from './Badge';
import badge from './Badge.module.css';
import classes from './VerdictSection.module.css';

/** The statement a reader takes away, what qualifies it, and the template's own reading. */
export function VerdictSection({ report }: { report: Report }) {
  const { analysis, badges, findings, run } = report;
  const conclusion = findings?.conclusion ?? [];
  const unfinished = run.state === 'running' || run.state === 'queued';
  return (
    <section className={classes.verdictSection} aria-label="Verdict">
      {unfinished && (
        <Alert variant="light" color="gray" mb="md">
          The run is {run.state}; this is what its trials show so far.
        </Alert>
      )}
      {run.state_reason && !unfinished && run.state !== 'completed' && (
        <Alert
          variant="light"
          color="red"
          mb="md"
          title={`The run was ${run.state === 'failed' ? 'ended by a failure' : run.state}`}
        >
          {run.state_reason}
        </Alert>
      )}
      {!analysis.trustworthy && (
        <Alert variant="light" color="red" mb="md" title="Do not rely on these figures">
          A validity check ended in error; see the checks below.
        </Alert>
      )}
      {analysis.statements.map(({ arm, stream, metric, verdict, text }) => (
        <p
          key={`${arm} ${stream} ${metric}`}
          className={verdict === 'better' || verdict === 'worse' ? classes.headline : classes.open}
        >
          <Prose text={text} />
        </p>
      ))}
      <p className={classes.open}>
        <Prose text={analysis.qualification} />
      </p>
      {conclusion.length > 0 && (
        <ul className={classes.conclusion}>
          {conclusion.map((sentence) => (
            <li key={sentence}>
              <Prose text={sentence} />
            </li>
          ))}
        </ul>
      )}
      <Group gap={6} mt="md">
        {(findings?.labels ?? []).map((label) => (
          <Badge key={label.key} badge={label} strong />
        ))}
        {badges.map((badge) => (
          <Badge key={badge.key} badge={badge} />
        ))}
        <span className={badge.badge}>
          {analysis.blocks_complete} of {analysis.blocks_planned} blocks complete
        </span>
      </Group>
    </section>
  );
}
