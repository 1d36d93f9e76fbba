import { Anchor } from '@mantine/core';
import { Link } from 'react-router';
import type { TrendRun, Trends } from '@/api/generated';
import { useShareToken } from '@/api/sharing/access';
import { Facts } from '@/components/ui/Facts';
import { Panel } from '@/components/ui/Panel';
import { formatDateTime } from '@/lib/time';
import { CompareLink } from './CompareLink';
import { pointText } from './pointText';
import { RunNotes } from './RunNotes';
import classes from './trends.module.css';

interface Props {
  trends: Trends;
  run: TrendRun;
  onChoose: (run: number) => void;
}

/** What each line reads at a run: its name, and the mean with its interval. */
function readings({ metrics }: Trends, run: number): [string, string][] {
  return metrics.flatMap(({ stream, info, lines }) =>
    lines.map(({ label, points }): [string, string] => [
      `${stream ? `${info.title}, ${stream}` : info.title}: ${label}`,
      pointText(
        points.find((point) => point.run === run),
        info.unit,
      ),
    ]),
  );
}

/** ", 2 notes"; nothing without any. */
function notesWords({ notes }: TrendRun): string {
  if (notes === 0) return '';
  return `, ${notes} ${notes === 1 ? 'note' : 'notes'}`;
}

/** Steps from run to run by keys, drag or touch. */
function RunSlider({ trends, run, onChoose }: Props) {
  const { runs } = trends;
  const at = runs.indexOf(run);
  const said = readings(trends, run.number).map(([name, value]) => `${name}: ${value}`);
  return (
    <input
      type="range"
      className={`${classes.slider} no-print`}
      aria-label="Run"
      aria-valuetext={`#${run.number}, ${formatDateTime(run.at)}${notesWords(run)}. ${said.join('; ')}`}
      min={0}
      max={runs.length - 1}
      step={1}
      value={at}
      disabled={runs.length < 2}
      onChange={({ currentTarget }) => {
        const next = runs[Number(currentTarget.value)];
        if (next) onChoose(next.number);
      }}
    />
  );
}

function Leads({ run }: { run: TrendRun }) {
  return (
    <p className={classes.links}>
      <Anchor component={Link} to={`/runs/${run.id}/report`}>
        Report
      </Anchor>
      {run.before && (
        <span>
          Compare <CompareLink run={run} />
        </span>
      )}
    </p>
  );
}

/** The run that is chosen in the charts: what ran, what it measured, and where it leads. */
export function RunPanel(props: Props) {
  const { trends, run } = props;
  const token = useShareToken();
  const changed = run.changes.map(({ text }) => text).join('; ');
  return (
    <Panel title={`Run #${run.number}`} note="Choose another with the slider, or in a chart.">
      <RunSlider {...props} />
      <div className={classes.run}>
        <Facts
          rows={[
            ['Started', formatDateTime(run.at)],
            ['Definition', `version ${run.version}`],
            ['nginx', run.nginx],
            ['Host', run.host],
            ['Kernel', run.kernel],
            ['Changed', changed],
            ['Note', run.note],
          ]}
        />
        <Facts rows={readings(trends, run.number)} />
      </div>
      {token === null && <Leads run={run} />}
      {token === null && <RunNotes runId={run.id} />}
    </Panel>
  );
}
