import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useParams } from 'react-router';
import { getRunOptions, type Report, type RunDetail } from '@/api/generated';
import { useReport } from '@/api/runs';
import { reportOf } from '@/api/shares';
import { AddBlocksButton } from '@/components/runs/AddBlocks';
import { ImportedNote } from '@/components/runs/ImportedNote';
import { RunMenu } from '@/components/runs/RunMenu';
import { StarButton } from '@/components/runs/StarButton';
import { TagEditor } from '@/components/runs/tags/TagEditor';
import { ShareButton } from '@/components/sharing/ShareButton';
import { PageHeader } from '@/components/ui/PageHeader';
import { PrintButton } from '@/components/ui/PrintButton';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { pageTitle, ReportMeta } from './ReportMeta';
import { ReportView } from './ReportView';
import { ExportMenu } from './sharing/ExportMenu';

function Actions({ report, summary }: { report: Report; summary: RunDetail | undefined }) {
  const runId = report.run.id;
  const navigate = useNavigate();
  return (
    <>
      <Button component={Link} to={`/runs/${runId}`} variant="default">
        <Trans>Run page</Trans>
      </Button>
      <Button component={Link} to={`/compare?runs=${runId}`} variant="default">
        <Trans>Compare with…</Trans>
      </Button>
      {summary && <AddBlocksButton run={summary} onAdded={() => void navigate(`/runs/${runId}`)} />}
      <PrintButton />
      <ExportMenu run={report.run} />
      <ShareButton subject={reportOf(runId)} />
      {summary && <RunMenu run={summary} onDeleted={() => void navigate('/runs')} />}
    </>
  );
}

export default function ReportPage() {
  const { runId = '' } = useParams();
  const query = useReport(runId);
  const { data: summary } = useQuery(getRunOptions({ path: { run_id: runId } }));
  usePageTitle(pageTitle(query.data?.run));
  return (
    <QueryView query={query} skeleton={[48, 140, 420, 200]} wayOut={{ label: t`All runs`, to: '/runs' }}>
      {(report) => (
        <>
          <PageHeader
            title={`${report.run.experiment_name} #${report.run.number}`}
            crumbs={[
              { label: t`Experiments`, to: '/experiments' },
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
