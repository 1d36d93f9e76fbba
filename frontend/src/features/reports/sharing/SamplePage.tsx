import { plural, t } from '@lingui/core/macro';
import { Alert } from '@mantine/core';
import { QueryClient, QueryClientProvider, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Inventory, Report } from '@/api/generated';
import { IN_A_FILE, ShareToken } from '@/api/shareToken';
import { ReadOnlyFrame } from '@/components/sharing/ReadOnlyFrame';
import { QueryView } from '@/components/ui/QueryView';
import { arrived } from '@/lib/release';
import { formatDateTime } from '@/lib/time';
import { usePageTitle } from '@/lib/usePageTitle';
import { type ReportFile, remember } from './FileReportPage';
import { ReadOnlyReport } from './ReadOnlyReport';

/** The sample is kept with the code (`scripts/sample.py`); no server is asked. */
async function sample(): Promise<ReportFile> {
  const { default: file } = await arrived(() => import('./sample.json'));
  return file as unknown as ReportFile;
}

/** A report for whoever has no account yet: a run that was really measured. */
export default function SamplePage() {
  usePageTitle(t`Sample report`);
  const query = useQuery({ queryKey: ['sample'], queryFn: sample, staleTime: Number.POSITIVE_INFINITY });
  return (
    <ShareToken value={IN_A_FILE}>
      <ReadOnlyFrame>
        <QueryView query={query} skeleton={[48, 140, 420, 200]} wayOut={{ label: t`Go to ngxlab`, to: '/' }}>
          {(file) => <Sample file={file} />}
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}

/** With a cache of its own: nothing of the sample is ever old, and nothing of it is of this installation. */
function Sample({ file }: { file: ReportFile }) {
  const [client] = useState(() => {
    const made = new QueryClient();
    remember(made, file);
    return made;
  });
  return (
    <QueryClientProvider client={client}>
      <Provenance report={file.report} />
      <ReadOnlyReport report={file.report} />
    </QueryClientProvider>
  );
}

/** When and where it was measured. */
function Provenance({ report: { run, hosts } }: { report: Report }) {
  const time = formatDateTime(run.finished_at ?? run.created_at);
  const machine = hosts.map(({ name, inventory }) => (inventory ? machineOf(inventory) : name)).join('; ');
  return (
    <Alert color="gray" variant="light" mb="md">
      {t`A sample. This run was measured on ${time} on ${machine}, and stands here as ngxlab reported it.`}
    </Alert>
  );
}

const machineOf = ({ cpu, os, nginx }: Inventory) =>
  [plural(cpu.logical, { one: '# CPU', other: '# CPUs' }), cpu.model, os, nginx[0]?.version].join(', ');
