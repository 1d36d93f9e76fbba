import { t } from '@lingui/core/macro';
import { useMemo } from 'react';
import type { RunPlan, SeriesInfo } from '@/api/generated';
import type { ChartDefinition } from '@/components/charts/series/definitions';
import { actionsOf, armLines, labelsOf, type TrialSource } from '@/components/charts/series/lines';
import { TimeChart, type TimeChartProps } from '@/components/charts/time/TimeChart';
import { slug } from '@/lib/download';
import { said } from '@/lib/language/serverText';

/** One label of an entry of the catalogue. */
export interface Shown {
  info: SeriesInfo;
  definition: ChartDefinition;
  label: string;
}

/** What it is called, and where a link to it leads. */
export function namesOf({ info, definition, label }: Shown, sources: readonly TrialSource[]) {
  const isOnlyLine = definition.split === 'arms' && labelsOf(definition, sources).length < 2;
  const titled = (name: string) => (isOnlyLine ? name : `${name}: ${label}`);
  // A part of the page has one address in all languages.
  return { title: titled(said(info.title)), id: `time-${slug(titled(info.title))}` };
}

type Passed = 'id' | 'title' | 'description' | 'actions' | 'notes' | 'onMoment' | 'syncId' | 'height';

interface Props extends Shown, Pick<TimeChartProps, Passed> {
  sources: readonly TrialSource[];
  isLoaded: boolean;
  plan: RunPlan;
}

/** A measured quantity with one line a trial, in the colour of its arm. */
export function ArmsChart({ info, definition, label, sources, isLoaded, plan, ...chart }: Props) {
  const lines = useMemo(
    () => armLines(definition, label, sources, { dashed: true }),
    [definition, label, sources],
  );
  const domain = useMemo(() => [-plan.warmup_s, plan.measure_s] as const, [plan.warmup_s, plan.measure_s]);
  const marks = useMemo(() => actionsOf(sources), [sources]);
  return (
    <TimeChart
      {...chart}
      unit={info.unit}
      lines={lines}
      marks={marks}
      domain={domain}
      measureS={plan.measure_s}
      showLatest={false}
      empty={isLoaded ? t`Not measured in these trials` : t`Loading …`}
    />
  );
}
