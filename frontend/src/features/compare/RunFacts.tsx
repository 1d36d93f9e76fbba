import type { ComparedRun } from '@/api/generated';
import { RelativeTime } from '@/components/ui/Time';
import classes from './RunsPanel.module.css';

/** Where and when it ran, and how far it can be trusted. */
export function RunFacts({ run }: { run: ComparedRun }) {
  return (
    <>
      <p className={classes.facts}>
        version {run.version}, on {[...new Set(run.hosts)].join(', ')}
        {run.started_at && (
          <>
            , <RelativeTime iso={run.started_at} />
          </>
        )}
        {run.note && `, “${run.note}”`}
      </p>
      <p className={classes.facts}>{run.unusable ? `Not comparable: ${run.unusable}.` : run.qualification}</p>
    </>
  );
}
