import { NativeSelect, Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import type { Report, ReportTrial } from '@/api/generated';
import { PartsChart } from '@/components/charts/heat/PartsChart';
import { SaveChart } from '@/components/charts/save/SaveChart';
import { definitionFor } from '@/components/charts/series/definitions';
import { labelLines, labelsOf, type TrialSource } from '@/components/charts/series/lines';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import type { Moment } from '@/domain/notes';
import { armLabel } from '@/domain/trials';
import { useSearchState } from '@/lib/useSearchState';
import { useReportMoments } from '../api/useReportMoments';
import { usableTrials, useReportSources } from '../charts/sources';
import { useNoteOn } from '../notes/useNoteOn';
import classes from './inside.module.css';

interface ChoiceProps {
  report: Report;
  trials: readonly ReportTrial[];
  value: string;
  onChange: (trialId: string) => void;
}

function TrialChoice({ report, trials, value, onChange }: ChoiceProps) {
  const data = trials.map(({ trial }) => ({
    value: trial.id,
    label: `Block ${trial.block}: ${armLabel(report.arms, trial.arm)}`,
  }));
  return (
    <NativeSelect
      size="xs"
      aria-label="Trial"
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={data}
    />
  );
}

interface ChartProps {
  report: Report;
  info: Report['catalogue'][number];
  source: TrialSource;
  notes: readonly Moment[];
  onMoment: ((t: number) => void) | undefined;
}

/** The workers, or the CPUs, of one trial. */
function AlikeChart({ report, info, source, notes, onMoment }: ChartProps) {
  const { plan, id } = report.run;
  const lines = useMemo(() => labelLines(definitionFor(info), source), [info, source]);
  const domain = useMemo(() => [-plan.warmup_s, plan.measure_s] as const, [plan.warmup_s, plan.measure_s]);
  return (
    <PartsChart
      name={info.key}
      title={info.title}
      unit={info.unit}
      description={info.description}
      lines={lines}
      marks={source.actions}
      notes={notes}
      onMoment={onMoment}
      yMax={info.y_max}
      domain={domain}
      measureS={plan.measure_s}
      syncId={id}
      showLatest={false}
      height={190}
      actions={<SaveChart title={info.title} />}
    />
  );
}

function Charts({ report, trial }: { report: Report; trial: ReportTrial }) {
  const { sources, error, retry, isLoaded } = useReportSources(report, [trial]);
  const notes = useReportMoments(report, [trial.trial.id]);
  const onMoment = useNoteOn(report, trial.trial.id);
  const [source] = sources;
  if (error) return <ProblemNotice error={error} retry={retry} />;
  if (!source || !isLoaded) return <Skeleton height={260} aria-label="Loading" />;
  const measured = report.catalogue.filter((info) => {
    const definition = definitionFor(info);
    return definition.alike && labelsOf(definition, [source]).length > 0;
  });
  if (measured.length === 0) return <p className={classes.none}>Neither workers nor CPUs were measured.</p>;
  return (
    <div className={classes.charts}>
      {measured.map((info) => (
        <AlikeChart key={info.key} {...{ report, info, source, notes, onMoment }} />
      ))}
    </div>
  );
}

/** What the charts over time add up: the workers and the CPUs of one trial, one by one. */
export function InsideSection({ report }: { report: Report }) {
  const usable = usableTrials(report);
  const [chosen, choose] = useSearchState('inside', usable[0]?.trial.id ?? '');
  const trial = usable.find((one) => one.trial.id === chosen) ?? usable[0];
  if (!trial || report.run.raw_removed) return null;
  return (
    <Panel
      title="Inside one trial"
      note="nginx workers and CPUs one by one. In a heat map each has a row; the dashed lines are the ends of the measured window."
      actions={<TrialChoice report={report} trials={usable} value={trial.trial.id} onChange={choose} />}
    >
      <Charts report={report} trial={trial} />
    </Panel>
  );
}
