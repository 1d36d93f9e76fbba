import { Text } from '@mantine/core';
import type { RunDetail } from '@/api/generated';
import { Panel } from '@/components/ui/Panel';
import { Prose } from '@/components/ui/Prose';
import { isOver } from '@/domain/runs';
import classes from './RunPage.module.css';

/** How a run that is over has ended; nothing before. */
export function Outcome({ run }: { run: RunDetail }) {
  if (!isOver(run)) return null;
  return (
    <Panel
      title={
        run.state === 'completed'
          ? 'Verdict'
          : `The run has ${run.state === 'failed' ? 'failed' : 'been cancelled'}`
      }
    >
      {run.state_reason && run.state !== 'completed' && <Text size="sm">{run.state_reason}</Text>}
      {run.headline ? (
        <p className={classes.headline}>
          <Prose text={run.headline} />
        </p>
      ) : (
        run.state === 'completed' && <Text c="var(--text-dim)">The analysis is still running.</Text>
      )}
    </Panel>
  );
}
