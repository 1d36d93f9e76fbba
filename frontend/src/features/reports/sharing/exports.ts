import type { ReportSource } from '@/api/sharing/access';

/** The forms in which a run can be taken away: what people read first, what programs read after it. */
export const EXPORTS = [
  {
    file: 'report.html',
    title: 'Web page',
    about: 'One file with all charts, to be opened without a server',
  },
  { file: 'report.pdf', title: 'PDF', about: 'The same on paper, printed by the server' },
  { file: 'report.md', title: 'Summary', about: 'Markdown with the answers first' },
  { file: 'data.csv', title: 'Table, CSV', about: 'Every value, interval and point of a series' },
  { file: 'data.parquet', title: 'Table, Parquet', about: 'The same for data frames, a tenth of the size' },
  { file: 'data.json', title: 'JSON', about: 'The report and all series, as the API has them' },
  { file: 'histograms.hlog', title: 'Histograms', about: 'HdrHistogram log of all latencies' },
  { file: 'metrics.txt', title: 'Metrics', about: 'OpenMetrics text' },
  { file: 'run.zip', title: 'Archive', about: 'The whole run, to be imported into another ngxlab' },
] as const;

export function exportAddress(source: ReportSource, file: string): string {
  const owner = 'runId' in source ? `runs/${source.runId}` : `shared/${encodeURIComponent(source.token)}`;
  return `/api/v1/${owner}/exports/${file}`;
}
