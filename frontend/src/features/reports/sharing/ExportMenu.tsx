import { t } from '@lingui/core/macro';
import { Button, Menu, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { exportRun, exportSharedRun, type ReportRun } from '@/api/generated';
import { type ReportSource, useReportSource } from '@/api/shareToken';
import { download } from '@/lib/download';
import { currentLanguage } from '@/lib/language/language';
import { paperOf } from '@/lib/language/paper';

const how = () =>
  ({
    parseAs: 'blob',
    throwOnError: true,
    query: { language: currentLanguage(), paper: paperOf(navigator.languages) },
  }) as const;

function print(source: ReportSource) {
  const name = 'report.pdf';
  if ('runId' in source) return exportRun({ ...how(), path: { run_id: source.runId, name } });
  return exportSharedRun({ ...how(), path: { token: source.token, name } });
}

/** The name that the server gave the file. */
const nameIn = ({ headers }: Response) =>
  /filename="([^"]+)"/.exec(headers.get('Content-Disposition') ?? '')?.[1] ?? 'report.pdf';

/** Has the server print the report, which takes seconds and may be impossible there: then it says why. */
function usePdf(source: ReportSource) {
  return useMutation({
    mutationFn: async () => {
      const { data, response } = await print(source);
      download(data as Blob, nameIn(response));
    },
  });
}

/** The forms in which a run can be taken away: what people read first, what programs read after it. */
const exportForms = () =>
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
    {
      file: 'metrics.om',
      title: t`Metrics over time`,
      about: t`OpenMetrics with timestamps, for Prometheus and Grafana`,
    },
    { file: 'run.zip', title: t`Archive`, about: t`The whole run, to be imported into another ngxlab` },
  ] as const;

function exportAddress(source: ReportSource, file: string): string {
  const owner = 'runId' in source ? `runs/${source.runId}` : `shared/${encodeURIComponent(source.token)}`;
  return `/api/v1/${owner}/exports/${file}`;
}

type Form = ReturnType<typeof exportForms>[number];

function Item({ source, form, onPdf }: { source: ReportSource; form: Form; onPdf: () => void }) {
  const words = (
    <>
      <Text size="sm">{form.title}</Text>
      <Text size="xs" c="var(--text-dim)">
        {form.about}
      </Text>
    </>
  );
  if (form.file === 'report.pdf') return <Menu.Item onClick={onPdf}>{words}</Menu.Item>;
  return (
    <Menu.Item component="a" href={exportAddress(source, form.file)} download>
      {words}
    </Menu.Item>
  );
}

/** Forms that are made of raw data and nothing else. */
const RAW: readonly string[] = ['run.zip', 'histograms.hlog'];

type Run = Pick<ReportRun, 'id' | 'finished_at' | 'raw_removed'>;

function formsOf(run: Run, source: ReportSource) {
  return exportForms().filter(
    ({ file }) =>
      (file !== 'run.zip' || ('runId' in source && run.finished_at !== null)) &&
      !(run.raw_removed && RAW.includes(file)),
  );
}

function OpenMenu({ run, source }: { run: Run; source: ReportSource }) {
  const pdf = usePdf(source);
  return (
    <Menu position="bottom-end" width={300} withinPortal>
      <Menu.Target>
        <Button
          variant="default"
          leftSection={<IconDownload size={14} />}
          loading={pdf.isPending}
          aria-label={pdf.isPending ? t`The PDF is being printed` : undefined}
        >
          {t`Export`}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {formsOf(run, source).map((form) => (
          <Item key={form.file} source={source} form={form} onPdf={() => pdf.mutate()} />
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}

/** The run as a file, in several forms. */
export function ExportMenu({ run }: { run: Run }) {
  const source = useReportSource(run.id);
  return source && <OpenMenu run={run} source={source} />;
}
