/** The lines, the marks and the axis of charts over several trials: what {@link OverviewCharts} draws. Pure. */
import type { ActionMark, RunDetail, TrialOut } from '@/api/generated';
import { roundUp } from '@/components/charts/axes';
import { armColor, armDash } from '@/components/charts/palette';
import type { ChartDefinition } from '@/components/charts/series/definitions';
import { armLines, labelsOf, type TrialSource } from '@/components/charts/series/lines';
import type { Line } from '@/components/charts/time/align';
import type { Point } from '@/domain/series';
import { counted, latestAttempts } from '@/domain/trials';

/** More curves than these on one axis cannot be told apart. */
const MOST_OVERLAID = 24;
/** A trial that has so many readings of one thing under load will not soon have those that it lacks of another. */
const WAITED_READINGS = 6;
/** More trials than these are more than a page can wait for. */
const MOST_IN_ROW = 200;

export type Overview = 'arms' | 'run';

/** The trials that an overview draws, in the order of execution: those completed, and the one under way; no profiles. */
export function trialsSoFar(run: Pick<RunDetail, 'trials' | 'progress'>, view: Overview) {
  const begun = counted(latestAttempts(run.trials)).filter(
    ({ id, state, started_at }) =>
      started_at && (state === 'completed' || id === run.progress.current_trial_id),
  );
  const drawn = begun.slice(view === 'arms' ? -MOST_OVERLAID : -MOST_IN_ROW);
  return { drawn, left: begun.length - drawn.length };
}

/** With each arm that no trial is drawn of yet, so that legends and bars have their room from the start. */
export function withAllArms(
  sources: readonly TrialSource[],
  { arms }: Pick<RunDetail, 'arms'>,
): TrialSource[] {
  const drawn = new Set(sources.map(({ armIndex }) => armIndex));
  const others = arms.map(({ key, label }, armIndex) => ({
    trialId: `none of ${key}`,
    armIndex,
    armLabel: label,
    series: [],
    actions: [],
  }));
  return [...sources, ...others.filter(({ armIndex }) => !drawn.has(armIndex))];
}

/**
 * Whether the charts of these trials may be placed: all that always count are known, or are not to be waited for. Some
 * of their readings come seconds after others, and would come in between. `loadS`: when the load begins in each trial.
 */
export function mayBePlaced(
  definitions: readonly ChartDefinition[],
  sources: readonly TrialSource[],
  { hasCompleted, loadS }: { hasCompleted: boolean; loadS: number },
): boolean {
  const isKnown = (one: ChartDefinition) =>
    one.primary !== true || one.compare.length === 0 || labelsOf(one, sources).length > 0;
  const all = sources.flatMap(({ series }) => series.map(({ points }) => points));
  if (hasCompleted || definitions.every(isKnown)) return all.some((points) => points.length > 0);
  return all.some((points) => points.filter(([t]) => t > loadS).length >= WAITED_READINGS);
}

/** Seconds from the start of the first trial's load to the start of each measured window. */
export function windowStarts(trials: readonly TrialOut[], warmupS: number): Map<string, number> {
  const at = ({ started_at }: TrialOut) => Date.parse(started_at ?? '');
  const [first] = trials;
  if (!first) return new Map();
  return new Map(trials.map((trial) => [trial.id, (at(trial) - at(first)) / 1000 + warmupS]));
}

const shifted = (points: readonly Point[], by: number): Point[] =>
  points.map(([t, value]) => [t + by, value]);

/** A mark that ends a curve, so that it is not drawn on to the next trial. */
const endOf = (points: readonly Point[]): Point[] => {
  const last = points.at(-1);
  return last ? [[last[0] + 0.001, null]] : [];
};

/** One line a trial from the start of its measured window; of each arm, all but the latest are faint. */
export function overlaidLines(
  definition: ChartDefinition,
  label: string,
  sources: readonly TrialSource[],
): Line[] {
  const latest = new Map(sources.map(({ armIndex, trialId }) => [armIndex, trialId]));
  const shown = new Set(latest.values());
  const byArm = [...sources].sort((a, b) => a.armIndex - b.armIndex);
  return armLines(definition, label, byArm, { dashed: true }).map((line) =>
    shown.has(line.id) ? line : { ...line, faint: true, unnamed: true },
  );
}

/** One line an arm over the whole run, interrupted between its trials. */
export function runLines(
  definition: ChartDefinition,
  label: string,
  sources: readonly TrialSource[],
  starts: ReadonlyMap<string, number>,
): Line[] {
  const arms = new Map(sources.map(({ armIndex, armLabel }) => [armIndex, armLabel]));
  return [...arms]
    .sort(([a], [b]) => a - b)
    .map(([index, name]) => ({
      id: String(index),
      label: name,
      color: armColor(index),
      dash: armDash(index),
      points: sources
        .filter(({ armIndex }) => armIndex === index)
        .flatMap(({ trialId, series }) => {
          const found = series.find((line) => line.key === definition.key && line.label === label);
          const points = shifted(found?.points ?? [], starts.get(trialId) ?? 0);
          return [...points, ...endOf(points)];
        }),
    }));
}

/** What perturbations did in all trials, on the axis of the run. */
export function runMarks(sources: readonly TrialSource[], starts: ReadonlyMap<string, number>): ActionMark[] {
  return sources.flatMap(({ trialId, actions }) => {
    const by = starts.get(trialId) ?? 0;
    return actions.map((mark) => ({
      ...mark,
      t_s: mark.t_s + by,
      ended_s: mark.ended_s === null ? null : mark.ended_s + by,
    }));
  });
}

/** The axis of a run that goes on ends at a round number, so that it stands still most of the time. */
export function runDomain(endS: number, isOver: boolean): [number, number] {
  return [0, isOver ? endS : roundUp(endS)];
}
