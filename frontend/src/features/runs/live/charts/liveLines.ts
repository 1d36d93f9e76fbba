import { type UseQueryResult, useQueries } from '@tanstack/react-query';
import { useCallback, useMemo, useState } from 'react';
import type { RunDetail, SeriesInfo, TrialOut } from '@/api/generated';
import { type TrialSeriesData, trialSeriesQuery } from '@/api/trialSeries';
import { type ChartDefinition, essentialLabels, orderedLabels } from '@/components/charts/series/definitions';
import {
  armLines,
  type DrawnTrial,
  labelLines,
  labelsOf,
  type TrialSource,
  useSources,
  withoutEmptyParts,
} from '@/components/charts/series/lines';
import type { Line } from '@/components/charts/time/align';
import { armIndex, armLabel, counted, latestAttempts } from '@/domain/trials';
import { said } from '@/lib/language/serverText';

/** Trials under the names and in the colours of their arms. */
export const drawnTrials = ({ arms }: RunDetail, trials: readonly TrialOut[]): DrawnTrial[] =>
  trials.map(({ id, arm }) => ({
    trialId: id,
    armIndex: armIndex(arms, arm),
    armLabel: armLabel(arms, arm),
  }));

/** The trial itself, then the latest completed trial of each other arm. */
export function trialsToShow(run: Pick<RunDetail, 'arms' | 'trials'>, subject: TrialOut): TrialOut[] {
  const completed = counted(latestAttempts(run.trials))
    .filter((trial) => trial.state === 'completed')
    .reverse();
  const others = run.arms
    .filter((arm) => arm.key !== subject.arm)
    .flatMap((arm) => completed.find((trial) => trial.arm === arm.key) ?? []);
  return [subject, ...others];
}

/** The trial that ran before the one under way; none before a trial that has ended or waits. */
export function trialBefore(
  { trials, progress }: Pick<RunDetail, 'trials' | 'progress'>,
  subject: TrialOut,
): TrialOut | undefined {
  if (subject.id !== progress.current_trial_id) return undefined;
  return latestAttempts(trials).findLast(
    ({ position, finished_at, started_at }) => position < subject.position && finished_at && started_at,
  );
}

/** In a map, as what is in a list would be compared, reading by reading, with what it was before. */
const seriesOf = (results: UseQueryResult<TrialSeriesData>[]) =>
  new Map(results.map(({ data }, place) => [place, data]));

/** Series of those trials. Keeps its identity until one of them changes. */
export function useTrialSources(run: RunDetail, subject: TrialOut): LiveSources {
  const drawn = trialsToShow(run, subject);
  const before = trialBefore(run, subject);
  const trials = before && !drawn.includes(before) ? [...drawn, before] : drawn;
  const series = useQueries({
    queries: trials.map((trial) => trialSeriesQuery(trial.id)),
    combine: seriesOf,
  });
  const data = useMemo(() => [...series.values()], [series]);
  const all = useSources(drawnTrials(run, trials), data);
  const [count, beforeId] = [drawn.length, before?.id];
  return useMemo(
    () => ({ trials: all.slice(0, count), before: all.find(({ trialId }) => trialId === beforeId) }),
    [all, count, beforeId],
  );
}

/**
 * Items in the order given, until `isSettled` once. From then on each name keeps its place (items of one name stand
 * together), and what comes later stands after all that were there: a chart that has its first reading in the tenth
 * trial does not push others from under their reader.
 */
export function useSteadyOrder<T>(
  items: readonly T[],
  nameOf: (item: T) => string,
  isSettled: boolean,
): readonly T[] {
  const [kept, setKept] = useState<readonly string[]>([]);
  const names = [...new Set(items.map(nameOf))];
  const news = names.filter((name) => !kept.includes(name));
  const isKept = isSettled || kept.length > 0;
  if (isKept && news.length > 0) setKept([...kept, ...news]);
  const places = isKept ? [...kept, ...news].join('\n') : undefined;
  return useMemo(() => {
    if (places === undefined) return items;
    const order = places.split('\n');
    return [...items].sort((a, b) => order.indexOf(nameOf(a)) - order.indexOf(nameOf(b)));
  }, [items, nameOf, places]);
}

type Labels = ReadonlyMap<string, readonly string[]>;

const NONE: readonly string[] = [];

/** What has been measured of each chart, also in trials that are no longer looked at: no chart goes from under its reader. */
export function useLabels(definitions: readonly ChartDefinition[], sources: LiveSources) {
  const [known, setKnown] = useState<Labels>(new Map());
  const all = allOf(sources);
  const more = new Map(known);
  for (const definition of definitions) {
    const before = known.get(definition.key) ?? NONE;
    const news = labelsOf(definition, all).filter((label) => !before.includes(label));
    if (news.length > 0) more.set(definition.key, orderedLabels(definition, [...before, ...news]));
  }
  const isNews = definitions.some(({ key }) => more.get(key) !== known.get(key));
  if (isNews) setKnown(more);
  const labels = isNews ? more : known;
  return useCallback(({ key }: ChartDefinition) => labels.get(key) ?? NONE, [labels]);
}

export interface LiveSources {
  /** The trial in question, then the latest of each other arm. */
  trials: readonly TrialSource[];
  /** The trial before the one in question, if that has only begun. */
  before?: TrialSource;
}

export interface LiveChart {
  info: SeriesInfo;
  definition: ChartDefinition;
  title: string;
  /** The one line of a trial in which arms are compared; without it, the chart has the parts of the trial. */
  label?: string;
}

/** All trials of which a page knows something: what one of them has, the others will have, too. */
export const allOf = ({ trials, before }: LiveSources): TrialSource[] =>
  before && !trials.includes(before) ? [...trials, before] : [...trials];

/** Where arms are compared, each stream has a chart of its own: two in one would leave no room for the arms. */
export function chartsOf(
  info: SeriesInfo,
  definition: ChartDefinition,
  labels: readonly string[],
): LiveChart[] {
  const title = said(info.title);
  const chart = { info, definition, title };
  if (definition.split === 'labels') return [chart];
  if (labels.length < 2) return [{ ...chart, label: labels[0] ?? '' }];
  return labels.map((label) => ({ ...chart, label, title: `${title}: ${label}` }));
}

const hasReadings = ({ series }: TrialSource, key: string) =>
  series.some((line) => line.key === key && line.points.length > 0);

/** A trial in which each of these parts is known, if only without readings. */
function withParts(source: TrialSource, { key }: ChartDefinition, labels: readonly string[]): TrialSource {
  const own = new Set(source.series.filter((line) => line.key === key).map((line) => line.label));
  const absent = labels.filter((label) => !own.has(label));
  if (absent.length === 0) return source;
  const empty = absent.map((label) => ({ key, label, unit: '', points: [] }));
  return { ...source, series: [...source.series, ...empty] };
}

/**
 * The lines of a chart. Until its trial has a reading, those of the trial before stand there, faint. A part that has
 * been something in any trial is `named`, and keeps its place in the legend from then on: later ones come after it.
 */
export function linesOf(
  { info, definition, label }: LiveChart,
  sources: LiveSources,
  named = new Set<string>(),
): Line[] {
  const { trials, before } = sources;
  const [subject, ...others] = trials;
  if (!subject) return [];
  const stale = before && !hasReadings(subject, definition.key) ? before : undefined;
  if (label !== undefined) {
    const own = stale?.armIndex === subject.armIndex ? stale : subject;
    const byArm = [own, ...others].sort((a, b) => a.armIndex - b.armIndex);
    return armLines(definition, label, byArm, { subjectId: subject.trialId });
  }
  const known = allOf(sources);
  const parts = known.flatMap((source) => withoutEmptyParts(labelLines(definition, source), info.stacked));
  for (const part of orderedLabels(definition, [...new Set(parts.map(({ label }) => label))]))
    named.add(part);
  const all = [...new Set([...labelsOf(definition, known), ...named])];
  const labels = essentialLabels(definition, orderedLabels(definition, all));
  const places = [...named];
  return labelLines(definition, withParts(stale ?? subject, definition, labels), labels)
    .filter(({ label }) => named.has(label))
    .sort((a, b) => places.indexOf(a.label) - places.indexOf(b.label))
    .map((line) => (stale ? { ...line, faint: true } : line));
}
