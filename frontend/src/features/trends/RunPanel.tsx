import { plural, t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Anchor } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { itemsOf } from '@/api/client';
import { listNotesOptions, type TrendRun, type Trends } from '@/api/generated';
import { useHasRole } from '@/api/session';
import { useShareToken } from '@/api/shareToken';
import { NoteList } from '@/components/notes/NoteList';
import { AddNoteButton } from '@/components/notes/openNote';
import { revisionText } from '@/components/runs/RevisionText';
import { Facts } from '@/components/ui/Facts';
import { Panel } from '@/components/ui/Panel';
import { QueryView } from '@/components/ui/QueryView';
import { type NotedRun, numbered } from '@/domain/notes';
import { said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';
import { pointText } from './MetricFigure';
import { CompareLink } from './RunLink';
import classes from './trends.module.css';

/** Notes on the chosen run, and a button to add one. */
function RunNotes({ runId }: { runId: string }) {
  const notes = useQuery({ ...listNotesOptions({ path: { run_id: runId } }), select: itemsOf });
  const mayWrite = useHasRole('experimenter');
  const run = useMemo(
    (): NotedRun => ({ id: runId, arms: [], trials: [], plan: { warmup_s: 0, measure_s: 0 } }),
    [runId],
  );
  return (
    <div className={classes.runNotes}>
      <QueryView query={notes} skeleton={[24]}>
        {(all) => (all.length > 0 ? <NoteList run={run} notes={numbered(all)} /> : null)}
      </QueryView>
      {mayWrite && <AddNoteButton run={run} label={t`Add a note on this run`} />}
    </div>
  );
}

interface Props {
  trends: Trends;
  run: TrendRun;
  onChoose: (run: number) => void;
}

/** The values of each line at a run: its name, and the mean with its interval. */
function readings({ metrics }: Trends, run: number): [string, string][] {
  return metrics.flatMap(({ stream, info, lines }) =>
    lines.map(({ label, points }): [string, string] => [
      `${stream ? `${said(info.title)}, ${stream}` : said(info.title)}: ${label}`,
      pointText(
        points.find((point) => point.run === run),
        info.unit,
      ),
    ]),
  );
}

/** "#4, 2 January, 2 notes. Throughput: 50,000 req/s". */
function spoken(trends: Trends, run: TrendRun): string {
  const { number } = run;
  const at = formatDateTime(run.at);
  const values = readings(trends, number)
    .map(([name, value]) => `${name}: ${value}`)
    .join('; ');
  if (run.notes === 0) return t`#${number}, ${at}. ${values}`;
  const notes = plural(run.notes, { one: '# note', other: '# notes' });
  return t`#${number}, ${at}, ${notes}. ${values}`;
}

/** Steps from run to run by keys, drag or touch. */
function RunSlider({ trends, run, onChoose }: Props) {
  const { runs } = trends;
  const at = runs.indexOf(run);
  return (
    <input
      type="range"
      className={`${classes.slider} no-print`}
      aria-label={t`Run`}
      aria-valuetext={spoken(trends, run)}
      min={0}
      max={runs.length - 1}
      step={1}
      value={at}
      onChange={({ currentTarget }) => {
        const next = runs[Number(currentTarget.value)];
        if (next) onChoose(next.number);
      }}
    />
  );
}

/** The run that is chosen in the charts: what ran, what it measured, and where it leads. */
export function RunPanel(props: Props) {
  const { trends, run } = props;
  const token = useShareToken();
  const { number, version } = run;
  const changed = run.changes.map(({ text }) => text).join('; ');
  return (
    <Panel
      title={t`Run #${number}`}
      note={trends.runs.length > 1 && t`Choose another with the slider, or in a chart.`}
    >
      {trends.runs.length > 1 && <RunSlider {...props} />}
      <div className={classes.run}>
        <Facts
          rows={[
            [t`Started`, formatDateTime(run.at)],
            [t`Definition`, t`version ${version}`],
            ['nginx', run.nginx],
            [t`Host`, run.host],
            [t`Kernel`, run.kernel],
            [t`Changed`, changed],
            [t`Revision`, revisionText(run.revision)],
            [t`Note`, run.note],
          ]}
        />
        <Facts rows={readings(trends, run.number)} />
      </div>
      {token === null && (
        <>
          <p className={classes.links}>
            <Anchor component={Link} to={`/runs/${run.id}/report`}>
              {t`Report`}
            </Anchor>
            {run.before && (
              <span>
                <Trans>
                  Compare <CompareLink run={run} />
                </Trans>
              </span>
            )}
          </p>
          <RunNotes runId={run.id} />
        </>
      )}
    </Panel>
  );
}
