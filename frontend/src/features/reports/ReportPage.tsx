import { Button } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconPrinter, IconShare3 } from '@tabler/icons-react';
import { Link, useParams } from 'react-router';
import { useHasRole } from '@/api/useMe';
import { useReport } from '@/api/useReport';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { ReportMeta } from './ReportMeta';
import { ReportView } from './ReportView';
import { ShareDialog } from './sharing/ShareDialog';

function Actions({ runId }: { runId: string }) {
  const mayShare = useHasRole('experimenter');
  const share = () =>
    modals.open({ title: 'Share this report', size: 'lg', children: <ShareDialog runId={runId} /> });
  return (
    <>
      <Button component={Link} to={`/runs/${runId}`} variant="default">
        Run page
      </Button>
      <Button variant="default" leftSection={<IconPrinter size={14} />} onClick={() => window.print()}>
        Print
      </Button>
      {mayShare && (
        <Button leftSection={<IconShare3 size={14} />} onClick={share}>
          Share
        </Button>
      )}
    </>
  );
}

export default function ReportPage() {
  const { runId = '' } = useParams();
  const query = useReport(runId);
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
            meta={<ReportMeta report={report} />}
            actions={<Actions runId={runId} />}
          />
          <ReportView report={report} />
        </>
      )}
    </QueryView>
  );
}
