import { t } from '@lingui/core/macro';
import { type ReactNode, useMemo } from 'react';
import type { RunPlan, SeriesInfo } from '@/api/generated';
import type { ChartDefinition } from '@/components/charts/series/definitions';
import { actionsOf, armLines, labelsOf, type TrialSource } from '@/components/charts/series/lines';
import { TimeChart } from '@/components/charts/time/TimeChart';
import type { Moment } from '@/domain/notes';
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

interface Props extends Shown {
  sources: readonly TrialSource[];
  isLoaded: boolean;
  plan: RunPlan;
  syncId: string;
  notes?: readonly Moment[];
  onMoment?: (t: number) => void;
  /** What may be done to it. */
  actions?: (title: string, id: string) => ReactNode;
  height?: number;
}

/** A measured quantity with one line a trial, in the colour of its arm. */
export function ArmsChart(props: Props) {
  const { info, definition, label, sources, plan, notes, onMoment } = props;
  const lines = useMemo(
    () => armLines(definition, label, sources, { dashed: true }),
    [definition, label, sources],
  );
  const domain = useMemo(() => [-plan.warmup_s, plan.measure_s] as const, [plan.warmup_s, plan.measure_s]);
  const marks = useMemo(() => actionsOf(sources), [sources]);
  const { title, id } = namesOf(props, sources);
  return (
    <TimeChart
      id={id}
      title={title}
      actions={props.actions?.(title, id)}
      unit={info.unit}
      description={said(info.description)}
      lines={lines}
      marks={marks}
      notes={notes}
      onMoment={onMoment}
      domain={domain}
      measureS={plan.measure_s}
      syncId={props.syncId}
      showLatest={false}
      height={props.height ?? 150}
      empty={props.isLoaded ? t`Not measured in these trials` : t`Loading …`}
    />
  );
}
