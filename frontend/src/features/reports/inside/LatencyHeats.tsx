import { t } from '@lingui/core/macro';
import { Skeleton } from '@mantine/core';
import { useMemo } from 'react';
import type { LatencyMap } from '@/api/generated';
import { HeatMap, type HeatMapProps } from '@/components/charts/heat/HeatMap';
import { heatOfLatency, latencySummary } from '@/components/charts/heat/latencyHeat';
import { SaveChart } from '@/components/charts/save/SaveChart';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { useLatencyMaps } from '../api/useLatencyMaps';

/** What all charts of a trial have in common. */
export type OfTrial = Pick<HeatMapProps, 'marks' | 'notes' | 'onMoment' | 'domain' | 'measureS' | 'syncId'>;

const titleOf = () => t`Latency of all requests over time`;
const description = () =>
  t`How many requests took how long: time across, latency up, both axes in ranges. Each step of the colour is the same ratio.`;
const PLOT_PX = 220;
export const LATENCY_PX = 300;

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
export function LatencyHeats({ trialId, ofTrial }: { trialId: string; ofTrial: OfTrial }) {
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
