import type { QueryClient } from '@tanstack/react-query';
import {
  getSharedArtefactsQueryKey,
  getSharedLatencyMapsQueryKey,
  getSharedReportQueryKey,
  getSharedSeriesQueryKey,
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
}

/** Put all of it where the report asks for it. Nothing is ever fetched: kept files of trials are not inside. */
export function remember(queryClient: QueryClient, { report, series, latency_maps }: ReportFile): void {
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
