import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Stack } from '@mantine/core';
import { useState } from 'react';
import type { Trends } from '@/api/generated';
import { EmptyState } from '@/components/ui/EmptyState';
import { ServerText } from '@/components/ui/language/ServerText';
import { Panel } from '@/components/ui/Panel';
import { ChangesPanel } from './ChangesPanel';
import { LatestPanel } from './LatestPanel';
import { LeftOutPanel } from './LeftOutPanel';
import { MetricFigure } from './MetricFigure';
import { RunPanel } from './RunPanel';
import classes from './trends.module.css';

function Charts({ trends }: { trends: Trends }) {
  const [number, choose] = useState<number | null>(null);
  const chosen = trends.runs.find((run) => run.number === number) ?? trends.runs.at(-1);
  if (!chosen) return null;
  return (
    <>
      <RunPanel trends={trends} run={chosen} onChoose={choose} />
      <div className={classes.charts}>
        {trends.metrics.map((metric) => (
          <MetricFigure
            key={metric.name}
            metric={metric}
            runs={trends.runs}
            chosen={chosen.number}
            onChoose={choose}
          />
        ))}
      </div>
    </>
  );
}

function Notes({ notes }: { notes: readonly string[] }) {
  return (
    <ul className={classes.notes}>
      {notes.map((note) => (
        <li key={note}>
          <ServerText text={note} />
        </li>
      ))}
    </ul>
  );
}

/** What is said below is of the runs that are drawn so far. */
function PendingNote({ trends: { left_out } }: { trends: Trends }) {
  const count = left_out.filter(({ is_pending }) => is_pending).length;
  if (count === 0) return null;
  return (
    <Alert
      role="status"
      color="gray"
      title={plural(count, {
        one: 'Means of # older run are being computed',
        other: 'Means of # older runs are being computed',
      })}
    >
      {t`An older ngxlab did not keep them. They appear here one after the other; what is said below may change.`}
    </Alert>
  );
}

function Content({ trends }: { trends: Trends }) {
  if (trends.runs.length === 0)
    return (
      <>
        <Panel>
          <EmptyState title={t`No run to draw yet`}>
            <Trans>Trends show the completed runs of an experiment whose results are valid.</Trans>
          </EmptyState>
        </Panel>
        <LeftOutPanel runs={trends.left_out} />
      </>
    );
  return (
    <>
      {trends.latest && <LatestPanel latest={trends.latest} />}
      <Charts trends={trends} />
      <ChangesPanel trends={trends} />
      <LeftOutPanel runs={trends.left_out} />
      <Notes notes={trends.notes} />
    </>
  );
}

/** The latest run against those before, each metric over the runs, and what changed between them. */
export function TrendsView({ trends }: { trends: Trends }) {
  return (
    <Stack gap="md">
      <PendingNote trends={trends} />
      <Content trends={trends} />
    </Stack>
  );
}

/** "9 runs", or how many of the finished ones are looked at. */
export function counted({ runs, left_out, finished }: Trends): string {
  const looked = runs.length + left_out.length;
  const drawn = plural(runs.length, { one: '# run', other: '# runs' });
  return finished > looked ? t`${drawn} of the latest ${looked}; ${finished} have ended in all` : drawn;
}
