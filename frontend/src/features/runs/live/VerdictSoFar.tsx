import type { RunDetail } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { isOver } from '@/domain/runs';
import classes from './RunPage.module.css';

/** What the complete blocks of a run that goes on say; nothing before the first and after the end. */
export function VerdictSoFar({ run }: { run: RunDetail }) {
  if (isOver(run) || run.verdict_so_far === null) return null;
  return (
    <Panel title="Verdict so far" note="It may be read at any time: its intervals hold at every look.">
      <p className={classes.headline}>
        <Prose text={run.verdict_so_far} />
      </p>
    </Panel>
  );
}
