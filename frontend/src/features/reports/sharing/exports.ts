import { t } from '@lingui/core/macro';
import type { ReportSource } from '@/api/sharing/access';

/** The forms in which a run can be taken away: what people read first, what programs read after it. */
export const exportForms = () =>
  [
    {
      file: 'report.html',
      title: t`Web page`,
      about: t`One file with all charts, to be opened without a server`,
    },
    { file: 'report.pdf', title: 'PDF', about: t`The same on paper, printed by the server` },
    { file: 'report.md', title: t`Summary`, about: t`Markdown with the answers first` },
    { file: 'data.csv', title: t`Table, CSV`, about: t`Every value, interval and point of a series` },
    {
      file: 'data.parquet',
      title: t`Table, Parquet`,
      about: t`The same for data frames, a tenth of the size`,
    },
    { file: 'data.json', title: 'JSON', about: t`The report and all series, as the API has them` },
    { file: 'histograms.hlog', title: t`Histograms`, about: t`HdrHistogram log of all latencies` },
    { file: 'metrics.txt', title: t`Metrics`, about: t`OpenMetrics text` },
    { file: 'run.zip', title: t`Archive`, about: t`The whole run, to be imported into another ngxlab` },
  ] as const;

export function exportAddress(source: ReportSource, file: string): string {
  const owner = 'runId' in source ? `runs/${source.runId}` : `shared/${encodeURIComponent(source.token)}`;
  return `/api/v1/${owner}/exports/${file}`;
}
