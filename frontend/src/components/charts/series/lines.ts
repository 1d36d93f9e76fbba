import { useMemo } from 'react';
import type { ActionMark, SeriesInfo } from '@/api/generated';
import { type TrialSeriesData, useTrialSeries } from '@/api/trialSeries';
import type { Point, Series } from '@/domain/series';
import { said } from '@/lib/language/serverText';
import { armColor, armDash, categoryColor, sequentialColor } from '../palette';
import type { Line } from '../time/align';
import { useTimeRange } from '../time/range/timeRange';
import {
  CHARTS,
  type ChartDefinition,
  comparedLabels,
  type LabelParts,
  mainCharts,
  orderedLabels,
  partsOf,
} from './definitions';

/** A trial's series and the place of its arm, which decides the colour. */
export interface TrialSource {
  trialId: string;
  armIndex: number;
  armLabel: string;
  series: readonly Series[];
  actions: readonly ActionMark[];
}

const byKeys = new WeakMap<readonly Series[], Map<string, Series[]>>();

/** The lines of a chart: each chart of a page looks for its own among all, at each reading. */
function linesOf(series: readonly Series[], key: string): readonly Series[] {
  let known = byKeys.get(series);
  if (!known) {
    known = new Map();
    for (const line of series) known.set(line.key, [...(known.get(line.key) ?? []), line]);
    byKeys.set(series, known);
  }
  return known.get(key) ?? [];
}

function pointsOf(series: readonly Series[], { key }: ChartDefinition, label: string): Point[] {
  return linesOf(series, key).find((line) => line.label === label)?.points ?? [];
}

/** Labels that a chart of `key` has in any of the sources, in drawing order. */
export function labelsOf(definition: ChartDefinition, sources: readonly TrialSource[]): readonly string[] {
  const labels = new Set<string>();
  for (const { series } of sources)
    for (const { label } of linesOf(series, definition.key)) labels.add(label);
  return orderedLabels(definition, [...labels]);
}

/** Whether a label of a chart was measured in some of the sources, and never was anything but zero. */
export function stayedAtZero(
  { key }: ChartDefinition,
  label: string,
  sources: readonly TrialSource[],
): boolean {
  const points = sources.flatMap(({ series }) =>
    linesOf(series, key)
      .filter((line) => line.label === label)
      .flatMap((line) => line.points),
  );
  return points.length > 0 && points.every(([, value]) => value === 0 || value === null);
}

/** Colours of the parts; streams beside each other differ by dashes. */
function lookOf(definition: ChartDefinition, labels: readonly string[], index: number) {
  if (definition.palette !== 'sequence') return { color: categoryColor(index) };
  const all = labels.map((label) => partsOf(definition, label));
  const { stream, part } = all[index] as LabelParts;
  const parts = [...new Set(all.map((one) => one.part))];
  const streams = [...new Set(all.map((one) => one.stream))];
  return {
    color: sequentialColor(parts.indexOf(part), parts.length),
    dash: armDash(streams.indexOf(stream)),
  };
}

/** The parts of one trial: one line a label. With `only`, a part has the same colour whatever else a trial has. */
export function labelLines(
  definition: ChartDefinition,
  source: TrialSource,
  only?: readonly string[],
): Line[] {
  const labels = labelsOf(definition, [source]).filter((label) => !only || only.includes(label));
  const named = only ?? labels;
  return labels.map((label) => ({
    id: label,
    label,
    ...lookOf(definition, named, named.indexOf(label)),
    points: pointsOf(source.series, definition, label),
  }));
}

/** A stack needs no legend for what never was: modes of CPU time that stayed at zero. */
export function withoutEmptyParts(lines: Line[], stacked: boolean): Line[] {
  return stacked ? lines.filter((line) => line.points.some(([, value]) => value !== 0)) : lines;
}

interface ArmLineOptions {
  /** The trial in question; all others are context. Without it, every line is drawn fully. */
  subjectId?: string;
  dashed?: boolean;
}

/** One line a trial in its arm's colour, for one label of the chart. */
export function armLines(
  definition: ChartDefinition,
  label: string,
  sources: readonly TrialSource[],
  { subjectId, dashed = false }: ArmLineOptions = {},
): Line[] {
  return sources.map(({ trialId, armIndex, armLabel, series }) => ({
    id: trialId,
    label: armLabel,
    color: armColor(armIndex),
    dash: dashed ? armDash(armIndex) : undefined,
    faint: subjectId !== undefined && trialId !== subjectId,
    points: pointsOf(series, definition, label),
  }));
}

export function actionsOf(sources: readonly TrialSource[]): ActionMark[] {
  return sources.flatMap(({ actions }) => actions).sort((a, b) => a.t_s - b.t_s);
}

/** A trial whose series are drawn, and the arm whose name and colour they bear. */
export type DrawnTrial = Pick<TrialSource, 'trialId' | 'armIndex' | 'armLabel'>;

/**
 * Trials with their series, `data` being in the order of `trials`; one that is not loaded yet has none. The result
 * keeps its identity until a trial or its data changes, so that charts are not drawn again for nothing.
 */
export function useSources(
  trials: readonly DrawnTrial[],
  data: readonly (TrialSeriesData | undefined)[],
): TrialSource[] {
  const key = JSON.stringify(trials); // callers make the list anew at every render
  return useMemo(
    () =>
      (JSON.parse(key) as DrawnTrial[]).map((trial, index) => ({
        ...trial,
        series: data[index]?.series ?? [],
        actions: data[index]?.actions ?? [],
      })),
    [key, data],
  );
}

/** The data of charts over time of several trials, in more detail where the page shows a part of their time. */
export function useShownSeries(trialIds: readonly string[]) {
  return useTrialSeries(trialIds, useTimeRange()?.range ?? null);
}

/** A measured quantity in which arms are compared: one line a trial or an arm. */
export interface ComparedChart {
  info: SeriesInfo;
  definition: ChartDefinition;
  label: string;
  title: string;
}

/** The main charts in which arms are compared, one for each label that was measured: each stream has its own. */
export function comparedCharts(
  catalogue: readonly SeriesInfo[],
  sources: readonly TrialSource[],
): ComparedChart[] {
  const byKey = new Map(catalogue.map((info) => [info.key, info]));
  const known = CHARTS.flatMap((definition) => {
    const info = byKey.get(definition.key);
    return info ? [{ info, definition }] : [];
  });
  return mainCharts(known, (definition) => labelsOf(definition, sources).length > 0).flatMap((one) => {
    const measured = labelsOf(one.definition, sources);
    const isOnlyLine = one.definition.split === 'arms' && measured.length < 2;
    return comparedLabels(one.definition, measured)
      .filter((label) => measured.includes(label))
      .map((label) => ({
        ...one,
        label,
        title: isOnlyLine ? said(one.info.title) : `${said(one.info.title)}: ${label}`,
      }));
  });
}
