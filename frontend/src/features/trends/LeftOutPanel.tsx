import type { LeftOutRun } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { RelativeTime } from '@/components/ui/Time';
import { RunLink } from './RunLink';
import classes from './trends.module.css';

/** Finished runs that are not drawn, and why. */
export function LeftOutPanel({ runs }: { runs: readonly LeftOutRun[] }) {
  if (runs.length === 0) return null;
  return (
    <Panel title="Not drawn" note="Finished runs without valid results, or without means yet.">
      <ul className={classes.statements}>
        {runs.map(({ id, number, at, reason }) => (
          <li key={id}>
            <RunLink id={id}>#{number}</RunLink> (<RelativeTime iso={at} />
            ): <Prose text={reason} />
          </li>
        ))}
      </ul>
    </Panel>
  );
}
