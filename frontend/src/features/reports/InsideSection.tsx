import { t } from '@lingui/core/macro';
import { NativeSelect, Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import type { LatencyMap, Report, ReportTrial } from '@/api/generated';
import { HeatMap, type HeatMapProps } from '@/components/charts/heat/HeatMap';
import { heatOfLatency, latencySummary } from '@/components/charts/heat/heat';
import { PartsChart } from '@/components/charts/heat/PartsChart';
import { SaveChart } from '@/components/charts/SaveChart';
import { definitionFor } from '@/components/charts/series/definitions';
import { labelLines, labelsOf, type TrialSource } from '@/components/charts/series/lines';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { WhenNear } from '@/components/ui/WhenNear';
import { armLabel } from '@/domain/trials';
import { said } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
import { useLatencyMaps } from './api';
import { usableTrials, useReportSources } from './charts/sources';
import { Section } from './contents/Section';
import classes from './InsideSection.module.css';
import { useNoteOn, useReportMoments } from './notes';

/** Properties that all charts of a trial share. */
type OfTrial = Pick<HeatMapProps, 'marks' | 'notes' | 'onMoment' | 'domain' | 'measureS' | 'syncId'>;

const titleOf = () => t`Latency of all requests over time`;
const description = () =>
  t`How many requests took how long: time across, latency up, both axes in ranges. Each step of the colour is the same ratio.`;
const PLOT_PX = 220;
const LATENCY_PX = 300;

function LatencyHeat({ map, title, ofTrial }: { map: LatencyMap; title: string; ofTrial: OfTrial }) {
  const heat = useMemo(() => heatOfLatency(map), [map]);
  return (
    <HeatMap
      {...ofTrial}
      title={title}
      unit="requests"
      description={description()}
      heat={heat}
      summary={latencySummary(heat, ofTrial.measureS)}
      rowPx={PLOT_PX / heat.rows.length}
      actions={<SaveChart title={title} />}
    />
  );
}

/** The latency of each stream of a trial: with its slow requests, which percentiles hide. */
function LatencyHeats({ trialId, ofTrial }: { trialId: string; ofTrial: OfTrial }) {
  const { data, error, refetch } = useLatencyMaps(trialId);
  if (error) return <ProblemNotice error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton height={LATENCY_PX} aria-label={t`Loading`} />;
  return data.maps.map((map) => (
    <LatencyHeat
      key={map.stream}
      map={map}
      title={data.maps.length > 1 ? `${titleOf()}: ${map.stream}` : titleOf()}
      ofTrial={ofTrial}
    />
  ));
}

interface ChoiceProps {
  report: Report;
  trials: readonly ReportTrial[];
  value: string;
  onChange: (trialId: string) => void;
}

function TrialChoice({ report, trials, value, onChange }: ChoiceProps) {
  const data = trials.map(({ trial }) => {
    const { block } = trial;
    const arm = armLabel(report.arms, trial.arm);
    return { value: trial.id, label: t`Block ${block}: ${arm}` };
  });
  return (
    <NativeSelect
      size="xs"
      aria-label={t`Trial`}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
      data={data}
    />
  );
}

interface ChartProps {
  info: Report['catalogue'][number];
  source: TrialSource;
  ofTrial: OfTrial;
}

/** The workers, or the CPUs, of one trial. */
function AlikeChart({ info, source, ofTrial }: ChartProps) {
  const title = said(info.title);
  const lines = useMemo(() => labelLines(definitionFor(info), source), [info, source]);
  return (
    <PartsChart
      {...ofTrial}
      name={info.key}
      title={title}
      unit={info.unit}
      description={said(info.description)}
      lines={lines}
      yMax={info.y_max}
      showLatest={false}
      height={190}
      actions={<SaveChart title={title} />}
    />
  );
}

type AlikeProps = Omit<ChartProps, 'info'> & { catalogue: Report['catalogue'] };

function AlikeCharts({ catalogue, source, ofTrial }: AlikeProps) {
  const measured = catalogue.filter((info) => {
    const definition = definitionFor(info);
    return definition.alike && labelsOf(definition, [source]).length > 0;
  });
  if (measured.length === 0)
    return <p className={classes.none}>{t`Neither workers nor CPUs were measured.`}</p>;
  return measured.map((info) => <AlikeChart key={info.key} {...{ info, source, ofTrial }} />);
}

function Charts({ report, trial }: { report: Report; trial: ReportTrial }) {
  const { plan, id } = report.run;
  const { sources, error, retry, isLoaded } = useReportSources(report, [trial.trial]);
  const notes = useReportMoments(report, [trial.trial.id]);
  const onMoment = useNoteOn(report, trial.trial.id);
  const domain = useMemo(() => [-plan.warmup_s, plan.measure_s] as const, [plan.warmup_s, plan.measure_s]);
  const [source] = sources;
  const ofTrial = { marks: source?.actions, notes, onMoment, domain, measureS: plan.measure_s, syncId: id };
  return (
    <div className={classes.charts}>
      <WhenNear height={LATENCY_PX}>
        <LatencyHeats trialId={trial.trial.id} ofTrial={ofTrial} />
      </WhenNear>
      {error && <ProblemNotice error={error} retry={retry} />}
      {!error && !isLoaded && <Skeleton height={LATENCY_PX} aria-label={t`Loading`} />}
      {source && isLoaded && <AlikeCharts catalogue={report.catalogue} source={source} ofTrial={ofTrial} />}
    </div>
  );
}

/** What the charts over time add up: the requests, the workers and the CPUs of one trial. */
export function InsideSection({ report }: { report: Report }) {
  const usable = usableTrials(report);
  const [chosen, choose] = useSearchState('inside', usable[0]?.trial.id ?? '');
  const trial = usable.find((one) => one.trial.id === chosen) ?? usable[0];
  if (!trial || report.run.raw_removed) return null;
  return (
    <Section
      id="inside-one-trial"
      title={t`Inside one trial`}
      note={t`All its requests, and its nginx workers and CPUs one by one. In a heat map, the dashed lines are the ends of the measured window.`}
      actions={<TrialChoice report={report} trials={usable} value={trial.trial.id} onChange={choose} />}
    >
      <WhenNear height={LATENCY_PX}>
        <Charts report={report} trial={trial} />
      </WhenNear>
    </Section>
  );
}
