import { Button } from '@mantine/core';
import { useMemo } from 'react';
import type { RunDetail, SeriesInfo, TrialOut } from '@/api/generated';
import type { ChartDefinition } from '@/components/charts/series/definitions';
import { CHARTS, definitionFor, essentialLabels, mainCharts } from '@/components/charts/series/definitions';
import {
  armLines,
  labelLines,
  labelsOf,
  type TrialSource,
  withoutEmptyParts,
} from '@/components/charts/series/lines';
import { TimeChart } from '@/components/charts/time/TimeChart';
import { useSearchState } from '@/lib/useSearchState';
import { ActionsPanel } from './ActionsPanel';
import classes from './LiveCharts.module.css';
import { useTrialSources } from './useTrialSources';

interface Props {
  run: RunDetail;
  trial: TrialOut;
  catalogue: readonly SeriesInfo[];
}

interface Chart {
  info: SeriesInfo;
  definition: ChartDefinition;
  title: string;
  /** The one line of a trial in which arms are compared; without it, the chart has the parts of the trial. */
  label?: string;
}

/** Where arms are compared, each stream has a chart of its own: two in one would leave no room for the arms. */
function chartsOf(info: SeriesInfo, definition: ChartDefinition, sources: readonly TrialSource[]): Chart[] {
  const chart = { info, definition, title: info.title };
  if (definition.split === 'labels') return [chart];
  const labels = labelsOf(definition, sources);
  if (labels.length < 2) return [{ ...chart, label: labels[0] ?? '' }];
  return labels.map((label) => ({ ...chart, label, title: `${info.title}: ${label}` }));
}

function linesOf({ info, definition, label }: Chart, sources: readonly TrialSource[]) {
  const [subject] = sources;
  if (!subject) return [];
  if (label !== undefined) return armLines(definition, label, sources, { subjectId: subject.trialId });
  const labels = essentialLabels(definition, labelsOf(definition, sources));
  return withoutEmptyParts(labelLines(definition, subject, labels), info.stacked);
}

interface ChartProps {
  chart: Chart;
  sources: readonly TrialSource[];
  run: RunDetail;
}

function LiveChart({ chart, sources, run }: ChartProps) {
  const { info, definition, title, label } = chart;
  const { warmup_s, measure_s } = run.plan;
  const domain = useMemo(() => [-warmup_s, measure_s] as const, [warmup_s, measure_s]);
  const lines = useMemo(
    () => linesOf({ info, definition, title, label }, sources),
    [info, definition, title, label, sources],
  );
  return (
    <TimeChart
      title={title}
      unit={info.unit}
      description={info.description}
      lines={lines}
      marks={sources[0]?.actions}
      stacked={info.stacked && definition.split === 'labels'}
      yMax={info.y_max}
      domain={domain}
      measureS={measure_s}
      syncId={run.id}
    />
  );
}

/** The selected trial's charts; where a chart compares arms, the latest finished trials of the others lie behind it. */
export function LiveCharts({ run, trial, catalogue }: Props) {
  const [shown, setShown] = useSearchState('charts', 'main');
  const sources = useTrialSources(run, trial);
  const byKey = new Map(catalogue.map((info) => [info.key, info]));
  const isMeasured = (definition: ChartDefinition) => labelsOf(definition, sources.slice(0, 1)).length > 0;
  const known = CHARTS.flatMap((definition) => {
    const info = byKey.get(definition.key);
    return info ? [{ info, definition }] : [];
  });
  const main = mainCharts(known, isMeasured);
  const rest = catalogue
    .map((info) => ({ info, definition: definitionFor(info) }))
    .filter(({ definition }) => !definition.primary && isMeasured(definition));
  const charts = (shown === 'all' ? [...main, ...rest] : main).flatMap(({ info, definition }) =>
    chartsOf(info, definition, sources),
  );
  return (
    <>
      <div className={classes.charts}>
        {charts.map((chart) => (
          <LiveChart key={chart.title} chart={chart} sources={sources} run={run} />
        ))}
      </div>
      {rest.length > 0 && (
        <Button variant="default" mt="md" onClick={() => setShown(shown === 'all' ? 'main' : 'all')}>
          {shown === 'all' ? 'Main charts only' : `${rest.length} more charts`}
        </Button>
      )}
      {sources[0] && (
        <div className={classes.below}>
          <ActionsPanel actions={sources[0].actions} />
        </div>
      )}
    </>
  );
}
