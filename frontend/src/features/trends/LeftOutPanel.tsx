import { t } from '@lingui/core/macro';
import type { LeftOutRun } from '@/api/generated';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { RelativeTime } from '@/components/ui/Time';
import { RunLink } from './RunLink';
import classes from './trends.module.css';

/** Finished runs that are not drawn, and why. */
export function LeftOutPanel({ runs }: { runs: readonly LeftOutRun[] }) {
  if (runs.length === 0) return null;
  return (
    <Panel title={t`Not drawn`} note={t`Finished runs without valid results, or without means yet.`}>
      <ul className={classes.statements}>
        {runs.map(({ id, number, at, reason }) => (
          <li key={id}>
            <RunLink id={id}>#{number}</RunLink> (<RelativeTime iso={at} />
            ): <ServerText text={reason} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
