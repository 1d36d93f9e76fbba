import type { QueryClient } from '@tanstack/react-query';
import {
  type ArmPhasesOut,
  type ArmProfileOut,
  getSharedArtefactsQueryKey,
  getSharedLatencyMapsQueryKey,
  getSharedProfileDifferenceQueryKey,
  getSharedProfileQueryKey,
  getSharedReportQueryKey,
  getSharedSeriesQueryKey,
  listSharedPhasesQueryKey,
  listSharedProfilesQueryKey,
  type ProfileDifference,
  type Report,
  type TrialLatencyMaps,
  type TrialSeries,
} from '@/api/generated';
import { IN_A_FILE, ShareToken } from '@/api/shareToken';
import { SERIES_POINTS } from '@/api/trialSeries';
import { ReadOnlyFrame } from '@/components/sharing/ReadOnlyFrame';
import { usePageTitle } from '@/lib/usePageTitle';
import { pageTitle } from '../ReportMeta';
import { ReadOnlyReport } from './ReadOnlyReport';

/** The data inside a report that is a file. */
export interface ReportFile {
  report: Report;
  series: TrialSeries[];
  latency_maps: TrialLatencyMaps[];
  /** Missing in files of earlier versions. */
  profiles?: ArmProfileOut[];
  /** Of each other arm and the baseline, both ways. */
  profile_differences?: ProfileDifference[];
  /** Against the baseline. */
  phases?: ArmPhasesOut[];
}

function rememberProfiles(client: QueryClient, profiles: ArmProfileOut[], differences: ProfileDifference[]) {
  client.setQueryData(listSharedProfilesQueryKey({ path: { token: IN_A_FILE } }), {
    items: profiles,
    next: null,
  });
  for (const one of profiles) {
    const path = { token: IN_A_FILE, arm_key: one.arm_key };
    client.setQueryData(getSharedProfileQueryKey({ path }), one);
  }
  for (const one of differences) {
    const { arm_key, against } = one;
    client.setQueryData(
      getSharedProfileDifferenceQueryKey({ path: { token: IN_A_FILE, arm_key }, query: { against } }),
      one,
    );
  }
}

/** Put all of it where the report asks for it. Nothing is ever fetched: kept files of trials are not inside. */
export function remember(queryClient: QueryClient, file: ReportFile): void {
  const { report, series, latency_maps, profiles = [], profile_differences = [], phases = [] } = file;
  queryClient.setDefaultOptions({
    queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false },
  });
  const path = (trialId: string) => ({ token: IN_A_FILE, trial_id: trialId });
  const query = { points: SERIES_POINTS };
  queryClient.setQueryData(getSharedReportQueryKey({ path: { token: IN_A_FILE } }), report);
  for (const one of series)
    queryClient.setQueryData(getSharedSeriesQueryKey({ path: path(one.trial_id), query }), one);
  for (const one of latency_maps)
    queryClient.setQueryData(getSharedLatencyMapsQueryKey({ path: path(one.trial_id) }), one);
  rememberProfiles(queryClient, profiles, profile_differences);
  queryClient.setQueryData(
    listSharedPhasesQueryKey({ path: { token: IN_A_FILE }, query: { against: report.analysis.baseline } }),
    { items: phases, next: null },
  );
  for (const { trial } of report.trials)
    queryClient.setQueryData(getSharedArtefactsQueryKey({ path: path(trial.id) }), { items: [], next: null });
}

/** The report in a file of its own: no server, nothing to change, nothing to fetch. */
export default function FileReportPage({ report }: { report: Report }) {
  usePageTitle(pageTitle(report.run));
  return (
    <ShareToken value={IN_A_FILE}>
      <ReadOnlyFrame>
        <ReadOnlyReport report={report} />
      </ReadOnlyFrame>
    </ShareToken>
  );
}
