import { plural, t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { memo, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { itemsOf } from '@/api/client';
import {
  type ActionMark,
  listNotesOptions,
  type RunDetail,
  type SeriesInfo,
  type TrialOut,
} from '@/api/generated';
import { useHasRole } from '@/api/session';
import {
  CHARTS,
  type ChartDefinition,
  definitionFor,
  mainCharts,
} from '@/components/charts/series/definitions';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { type Feed, useFeed, useTurn } from '@/components/charts/time/turns';
import { openAddNote } from '@/components/notes/openNote';
import { ActionsTable } from '@/components/runs/ActionsTable';
import { Panel } from '@/components/ui/Panel';
import { Steady, useSteadyHeight } from '@/components/ui/Steady';
import { describeAction, outcomeOf, summarize } from '@/domain/actions';
import { type Moment, momentsOf, numbered } from '@/domain/notes';
import { isOver } from '@/domain/runs';
import { formatOffset } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
import { useOnScreen } from '@/lib/useOnScreen';
import classes from './LiveCharts.module.css';
import {
  allOf,
  type LiveChart as Chart,
  chartsOf,
  type LiveSources,
  linesOf,
  useLabels,
  useSteadyOrder,
  useTrialSources,
} from './liveLines';

const MAX_TOLD = 8;

function told(mark: ActionMark): string {
  const [offset, action] = [formatOffset(mark.t_s), describeAction(mark)];
  return t`at ${offset}: ${action}`;
}

/** What perturbations have done in the trial, or in the one before (`stale`), and each action that did not work. */
function ActionsPanel({ actions, stale }: { actions: readonly ActionMark[]; stale: boolean }) {
  const rows = useMemo(
    () => summarize(actions).map((summary) => ({ id: `${summary.host} ${summary.perturbation}`, summary })),
    [actions],
  );
  const failed = actions.filter((mark) => outcomeOf(mark) === 'failed');
  if (rows.length === 0) return null;
  const note = stale ? t`Of the trial before; this one has none yet.` : t`Of this trial.`;
  return (
    <Panel title={t`Perturbations`} note={note} flush>
      <ActionsTable rows={rows} />
      {failed.length > 0 && (
        <ul className={classes.failedActions}>
          {failed.slice(-MAX_TOLD).map((mark) => (
            <li key={`${mark.host} ${mark.perturbation} ${mark.number}`}>{told(mark)}</li>
          ))}
        </ul>
      )}
    </Panel>
  );
}

const NO_MOMENTS: readonly Moment[] = [];

/**
 * The moments of the trial that notes are on; and for who may, what writes one on a moment. Neither changes with
 * readings, so that charts are not drawn again for them.
 */
function useMoments(run: RunDetail, { id }: TrialOut) {
  const { data } = useQuery({ ...listNotesOptions({ path: { run_id: run.id } }), select: itemsOf });
  const mayWrite = useHasRole('experimenter');
  const latest = useRef({ run, id });
  useEffect(() => {
    latest.current = { run, id };
  });
  const { arms, trials } = run;
  const moments = useMemo(
    () => momentsOf({ arms, trials }, numbered(data ?? []), [id]),
    [arms, trials, data, id],
  );
  const open = useCallback(
    (t: number) => openAddNote(latest.current.run, { trialId: latest.current.id, t }),
    [],
  );
  return { notes: moments.length > 0 ? moments : NO_MOMENTS, onMoment: mayWrite ? open : undefined };
}

interface Props {
  run: RunDetail;
  trial: TrialOut;
  catalogue: readonly SeriesInfo[];
}

interface ChartProps {
  chart: Chart;
  feed: Feed<LiveSources>;
  /** Whether its trials will have no more readings. */
  isPast: boolean;
  plan: RunDetail['plan'];
  syncId: string;
  notes: readonly Moment[];
  onMoment: ((t: number) => void) | undefined;
}

/** Whether what these trials read will not change any more: not while the run goes on, and not between its trials. */
function isPast({ trials: [subject] }: LiveSources, run: RunDetail): boolean {
  const { current_trial_id: current } = run.progress;
  return isOver(run) || (current !== null && current !== subject?.trialId);
}

/** Whatever news there are, a chart is drawn again only in its turn. */
const LiveChart = memo(function LiveChart({ chart, feed, isPast, plan, ...props }: ChartProps) {
  const { info, definition, title, label } = chart;
  const ref = useRef<HTMLDivElement>(null);
  useSteadyHeight(ref);
  const isSeen = useOnScreen(ref);
  const sources = useTurn(feed, !isSeen && !isPast);
  const { warmup_s, measure_s } = plan;
  const domain = useMemo(() => [-warmup_s, measure_s] as const, [warmup_s, measure_s]);
  const [named] = useState(() => new Set<string>());
  const lines = useMemo(
    () => linesOf({ info, definition, title, label }, sources, named),
    [info, definition, title, label, sources, named],
  );
  const [subject] = sources.trials;
  return (
    <div ref={ref} className={classes.cell} data-unit={info.unit}>
      <TimeChart
        title={title}
        unit={info.unit}
        description={said(info.description)}
        lines={lines}
        marks={subject?.actions}
        notes={props.notes}
        onMoment={props.onMoment}
        stacked={info.stacked && definition.split === 'labels'}
        yMax={info.y_max}
        domain={domain}
        measureS={measure_s}
        syncId={props.syncId}
      />
    </div>
  );
});

/** What can be drawn: with definitions that stay the same, so that charts are not drawn again for nothing. */
function useDefined(catalogue: readonly SeriesInfo[]) {
  return useMemo(() => {
    const byKey = new Map(catalogue.map((info) => [info.key, info]));
    const known = CHARTS.flatMap((definition) => {
      const info = byKey.get(definition.key);
      return info ? [{ info, definition }] : [];
    });
    const others = catalogue
      .map((info) => ({ info, definition: definitionFor(info) }))
      .filter(({ definition }) => !definition.primary);
    return { known, others, definitions: [...known, ...others].map(({ definition }) => definition) };
  }, [catalogue]);
}

/** Whether what a trial of this run measures is known: one has completed, and its readings are here. */
function isComplete(sources: LiveSources, { trials }: RunDetail): boolean {
  const completed = new Set(trials.filter(({ state }) => state === 'completed').map(({ id }) => id));
  const all = allOf(sources);
  return all.some(({ trialId }) => completed.has(trialId)) && all.every(({ series }) => series.length > 0);
}

const keyOf = ({ definition }: Chart) => definition.key;

/** The selected trial's charts; where a chart compares arms, the latest finished trials of the others lie behind it. */
export function LiveCharts({ run, trial, catalogue }: Props) {
  const [shown, setShown] = useSearchState('charts', 'main');
  const sources = useTrialSources(run, trial);
  const feed = useFeed(sources);
  const moments = useMoments(run, trial);
  const { known, others, definitions } = useDefined(catalogue);
  const labelsFor = useLabels(definitions, sources);
  const { charts, rest } = useMemo(() => {
    const isMeasured = (definition: ChartDefinition) => labelsFor(definition).length > 0;
    const main = mainCharts(known, isMeasured);
    const rest = others.filter(({ definition }) => isMeasured(definition));
    const all = shown === 'all' ? [...main, ...rest] : main;
    const charts = all.flatMap(({ info, definition }) => chartsOf(info, definition, labelsFor(definition)));
    return { charts, rest };
  }, [known, others, labelsFor, shown]);
  const steady = useSteadyOrder(charts, keyOf, isComplete(sources, run));
  const own = sources.trials[0]?.actions ?? [];
  const stale = own.length === 0 ? sources.before : undefined;
  return (
    <>
      <div className={classes.charts}>
        {steady.map((chart) => (
          <LiveChart
            key={chart.title}
            {...{ chart, feed, plan: run.plan, isPast: isPast(sources, run), syncId: run.id }}
            {...moments}
          />
        ))}
      </div>
      {rest.length > 0 && (
        <Button variant="default" mt="md" onClick={() => setShown(shown === 'all' ? 'main' : 'all')}>
          {shown === 'all' ? t`Main charts only` : plural(rest.length, { other: '# more charts' })}
        </Button>
      )}
      <Steady className={classes.below}>
        <ActionsPanel actions={stale?.actions ?? own} stale={stale !== undefined} />
      </Steady>
    </>
  );
}
