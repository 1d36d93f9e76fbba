import type { QueryClient } from '@tanstack/react-query';
import type { Report, TrialLatencyMaps, TrialSeries } from '@/api/generated';
import { queryKeys } from '@/api/queryKeys';
import { IN_A_FILE } from '@/api/sharing/access';

/** What a report carries that is a file of its own. */
export interface ReportFile {
  report: Report;
  series: TrialSeries[];
  latency_maps: TrialLatencyMaps[];
}

/** Put all of it where the report asks for it. Nothing is ever fetched: kept files of trials are not inside. */
export function remember(queryClient: QueryClient, { report, series, latency_maps }: ReportFile): void {
  const key = queryKeys.sharedReport(IN_A_FILE);
  queryClient.setDefaultOptions({
    queries: { staleTime: Number.POSITIVE_INFINITY, gcTime: Number.POSITIVE_INFINITY, retry: false },
  });
  queryClient.setQueryData(key, report);
  for (const one of series) queryClient.setQueryData([...key, ...queryKeys.trialSeries(one.trial_id)], one);
  for (const one of latency_maps)
    queryClient.setQueryData([...key, ...queryKeys.latencyMaps(one.trial_id)], one);
  for (const { trial } of report.trials)
    queryClient.setQueryData([...key, ...queryKeys.trialArtefacts(trial.id)], []);
}
