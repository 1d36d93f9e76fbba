import { t } from '@lingui/core/macro';
import { Button, Menu, Text } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReportRun } from '@/api/generated';
import { type ReportSource, useReportSource } from '@/api/sharing/access';
import { exportAddress, exportForms } from './exports';
import { usePdf } from './usePdf';

type Form = ReturnType<typeof exportForms>[number];

function Words({ title, about }: Form) {
  return (
    <>
      <Text size="sm">{title}</Text>
      <Text size="xs" c="var(--text-dim)">
        {about}
      </Text>
    </>
  );
}

function Item({ source, form, onPdf }: { source: ReportSource; form: Form; onPdf: () => void }) {
  if (form.file === 'report.pdf')
    return (
      <Menu.Item onClick={onPdf}>
        <Words {...form} />
      </Menu.Item>
    );
  return (
    <Menu.Item component="a" href={exportAddress(source, form.file)} download>
      <Words {...form} />
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
