import { plural, t } from '@lingui/core/macro';
import { Button } from '@mantine/core';
import { memo, useMemo, useRef, useState } from 'react';
import type { RunDetail, SeriesInfo, TrialOut } from '@/api/generated';
import {
  CHARTS,
  type ChartDefinition,
  definitionFor,
  mainCharts,
} from '@/components/charts/series/definitions';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { type Feed, useFeed, useTurn } from '@/components/charts/time/turns';
import { Steady } from '@/components/ui/Steady';
import type { Moment } from '@/domain/notes';
import { isOver } from '@/domain/runs';
import { useSearchState } from '@/lib/address/useSearchState';
import { said } from '@/lib/language/serverText';
import { useOnScreen } from '@/lib/useOnScreen';
import { useSteadyHeight } from '@/lib/useSteadyHeight';
import { ActionsPanel } from './ActionsPanel';
import classes from './LiveCharts.module.css';
import { allOf, type LiveChart as Chart, chartsOf, type LiveSources, linesOf } from './liveLines';
import { useLabels } from './useLabels';
import { useMoments } from './useMoments';
import { useSteadyOrder } from './useSteadyOrder';
import { useTrialSources } from './useTrialSources';

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
