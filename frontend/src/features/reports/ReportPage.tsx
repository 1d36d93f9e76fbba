import { Button, Skeleton } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPrinter, IconShare3 } from '@tabler/icons-react';
import { lazy, Suspense } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import type { Report, RunDetail } from '@/api/generated';
import { useHasRole } from '@/api/useMe';
import { useReport } from '@/api/useReport';
import { useRunSummary } from '@/api/useRunSummary';
import { ImportedNote } from '@/components/runs/ImportedNote';
import { RunMenu } from '@/components/runs/RunMenu';
import { StarButton } from '@/components/runs/StarButton';
import { TagEditor } from '@/components/runs/tags/TagEditor';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { ReportMeta } from './ReportMeta';
import { ReportView } from './ReportView';
import { ExportMenu } from './sharing/ExportMenu';

const ShareDialog = lazy(() =>
  import('./sharing/ShareDialog').then((module) => ({ default: module.ShareDialog })),
);

function Actions({ report, summary }: { report: Report; summary: RunDetail | undefined }) {
  const runId = report.run.id;
  const mayShare = useHasRole('experimenter');
  const navigate = useNavigate();
  const share = () =>
    modals.open({
      title: 'Share this report',
      size: 'lg',
      children: (
        <Suspense fallback={<Skeleton height={160} />}>
          <ShareDialog runId={runId} />
        </Suspense>
      ),
    });
  return (
    <>
      <Button component={Link} to={`/runs/${runId}`} variant="default">
        Run page
      </Button>
      <Button component={Link} to={`/compare?runs=${runId}`} variant="default">
        Compare with…
      </Button>
      <Button variant="default" leftSection={<IconPrinter size={14} />} onClick={() => window.print()}>
        Print
      </Button>
      <ExportMenu run={report.run} />
      {mayShare && (
        <Button leftSection={<IconShare3 size={14} />} onClick={share}>
          Share
        </Button>
      )}
      {summary && <RunMenu run={summary} onDeleted={() => void navigate('/runs')} />}
    </>
  );
}

export default function ReportPage() {
  const { runId = '' } = useParams();
  const query = useReport(runId);
  const { data: summary } = useRunSummary(runId);
  const run = query.data?.run;
  usePageTitle(run ? `Report: ${run.experiment_name} #${run.number}` : 'Report');
  return (
    <QueryView query={query} skeleton={[48, 140, 420, 200]}>
      {(report) => (
        <>
          <PageHeader
            title={`${report.run.experiment_name} #${report.run.number}`}
            crumbs={[
              { label: 'Experiments', to: '/experiments' },
              { label: report.run.experiment_name, to: `/experiments/${report.run.experiment_id}` },
            ]}
            aside={
              <>
                <ImportedNote origin={summary?.imported} />
                {summary && <StarButton run={summary} />}
                {summary && <TagEditor run={summary} />}
              </>
            }
            meta={<ReportMeta report={report} />}
            actions={<Actions report={report} summary={summary} />}
          />
          <ReportView report={report} />
        </>
      )}
    </QueryView>
  );
}
