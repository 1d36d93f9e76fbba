import type { Report } from '@/api/generated';
import { AsOf } from '@/components/sharing/ReadOnlyFrame';
import { PageHeader } from '@/components/ui/PageHeader';
import { ReportMeta } from '../ReportMeta';
import { ReportView } from '../ReportView';
import { ExportMenu } from './ExportMenu';

/** The report itself: nothing to change. `asOf`: when it was kept as it stands here, `null` while its run goes on. */
export function ReadOnlyReport({ report, asOf }: { report: Report; asOf?: string | null }) {
  return (
    <>
      <PageHeader
        title={`${report.run.experiment_name} #${report.run.number}`}
        meta={
          <>
            <ReportMeta report={report} />
            <AsOf at={asOf} />
          </>
        }
        actions={<ExportMenu run={report.run} />}
      />
      <ReportView report={report} />
    </>
  );
}
