import { Button } from '@mantine/core';
import { useCallback, useMemo } from 'react';
import type { RunDetail, SeriesInfo, TrialOut } from '@/api/generated';
import { useNotes } from '@/api/notes/useNotes';
import { useHasRole } from '@/api/useMe';
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
import { openAddNote } from '@/components/notes/dialogs';
import { type Moment, momentsOf, numbered } from '@/domain/notes';
import { useSearchState } from '@/lib/useSearchState';
import { ActionsPanel } from './ActionsPanel';
import classes from './LiveCharts.module.css';
import { useTrialSources } from './useTrialSources';

interface Props {
  run: RunDetail;
  trial: TrialOut;
  catalogue: readonly SeriesInfo[];
}

const NO_MOMENTS: readonly Moment[] = [];

/** The moments of the trial that notes are on; and for who may, what writes one on a moment. */
function useMoments(run: RunDetail, { id }: TrialOut) {
  const { data } = useNotes(run.id);
  const mayWrite = useHasRole('experimenter');
  const moments = useMemo(() => momentsOf(run, numbered(data ?? []), [id]), [run, data, id]);
  const open = useCallback((t: number) => openAddNote(run, { trialId: id, t }), [run, id]);
  return { notes: moments.length > 0 ? moments : NO_MOMENTS, onMoment: mayWrite ? open : undefined };
}

interface ChartProps {
  info: SeriesInfo;
  definition: ChartDefinition;
  sources: readonly TrialSource[];
  run: RunDetail;
  notes: readonly Moment[];
  onMoment: ((t: number) => void) | undefined;
}

function LiveChart({ info, definition, sources, run, notes, onMoment }: ChartProps) {
  const { warmup_s, measure_s } = run.plan;
  const domain = useMemo(() => [-warmup_s, measure_s] as const, [warmup_s, measure_s]);
  const lines = useMemo(() => {
    const [subject] = sources;
    if (!subject) return [];
    const labels = labelsOf(definition, sources);
    if (definition.split === 'labels' || labels.length > 1)
      return withoutEmptyParts(
        labelLines(definition, subject, essentialLabels(definition, labels)),
        info.stacked,
      );
    const [label = ''] = labels;
    return armLines(definition, label, sources, { subjectId: subject.trialId });
  }, [definition, sources, info.stacked]);
  return (
    <TimeChart
      title={info.title}
      unit={info.unit}
      description={info.description}
      lines={lines}
      marks={sources[0]?.actions}
      notes={notes}
      onMoment={onMoment}
      stacked={info.stacked && definition.split === 'labels'}
      yMax={info.y_max}
      domain={domain}
      measureS={measure_s}
      syncId={run.id}
    />
  );
}

/** What the trial measured: in the charts that all see, and in the others. */
function measuredCharts(catalogue: readonly SeriesInfo[], sources: readonly TrialSource[]) {
  const byKey = new Map(catalogue.map((info) => [info.key, info]));
  const isMeasured = (definition: ChartDefinition) => labelsOf(definition, sources.slice(0, 1)).length > 0;
  const known = CHARTS.flatMap((definition) => {
    const info = byKey.get(definition.key);
    return info ? [{ info, definition }] : [];
  });
  const rest = catalogue
    .map((info) => ({ info, definition: definitionFor(info) }))
    .filter(({ definition }) => !definition.primary && isMeasured(definition));
  return { main: mainCharts(known, isMeasured), rest };
}

/** The selected trial's charts; where a chart compares arms, the latest finished trials of the others lie behind it. */
export function LiveCharts({ run, trial, catalogue }: Props) {
  const [shown, setShown] = useSearchState('charts', 'main');
  const sources = useTrialSources(run, trial);
  const moments = useMoments(run, trial);
  const { main, rest } = measuredCharts(catalogue, sources);
  const charts = shown === 'all' ? [...main, ...rest] : main;
  return (
    <>
      <div className={classes.charts}>
        {charts.map(({ info, definition }) => (
          <LiveChart
            key={info.key}
            info={info}
            definition={definition}
            sources={sources}
            run={run}
            {...moments}
          />
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
