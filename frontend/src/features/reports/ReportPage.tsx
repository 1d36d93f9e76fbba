import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button } from '@mantine/core';
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
import { ApiProblem } from '@/lib/problem';
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

/** How often it is looked whether the run that is read is still there. */
const STILL_THERE_MS = 30_000;

/** Somebody deleted the run under its reader: what was loaded can be read on, and nothing be done with it. */
function DeletedNotice() {
  return (
    <Alert role="status" color="yellow" variant="light" mb="md" title={t`This run was deleted`}>
      {t`What stands here was loaded before. It can still be read and printed, but not be shared, exported or compared.`}
    </Alert>
  );
}

export default function ReportPage() {
  const { runId = '' } = useParams();
  const query = useReport(runId);
  const run = useQuery({ ...getRunOptions({ path: { run_id: runId } }), refetchInterval: STILL_THERE_MS });
  const isGone = run.error instanceof ApiProblem && run.error.status === 404;
  const summary = isGone ? undefined : run.data;
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
            actions={!isGone && <Actions report={report} summary={summary} />}
          />
          {isGone && <DeletedNotice />}
          <ReportView report={report} />
        </>
      )}
    </QueryView>
  );
}
