import { t } from '@lingui/core/macro';
import type { ComparedRun } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { RelativeTime } from '@/components/ui/Time';
import classes from './RunsPanel.module.css';

/** Where and when it ran, and how far it can be trusted. */
export function RunFacts({ run }: { run: ComparedRun }) {
  const { version, unusable } = run;
  const hosts = [...new Set(run.hosts)].join(', ');
  return (
    <>
      <p className={classes.facts}>
        {t`version ${version}, on ${hosts}`}
        {run.started_at && (
          <>
            , <RelativeTime iso={run.started_at} />
          </>
        )}
        {run.note && `, “${run.note}”`}
      </p>
      <p className={classes.facts}>
        {unusable ? t`Not comparable: ${unusable}.` : <ServerText text={run.qualification} />}
      </p>
    </>
  );
}
