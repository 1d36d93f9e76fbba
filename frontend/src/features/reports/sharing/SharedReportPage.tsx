import { useParams } from 'react-router';
import { Logo } from '@/components/brand/Logo';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import { PageHeader } from '@/components/ui/PageHeader';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { ShareToken } from '../api/access';
import { useSharedReport } from '../api/useSharedReport';
import { ReportMeta } from '../ReportMeta';
import { ReportView } from '../ReportView';
import classes from './SharedReportPage.module.css';

/** The report for anyone with the link: nothing around it, nothing to change. */
export default function SharedReportPage() {
  const { token = '' } = useParams();
  const query = useSharedReport(token);
  const run = query.data?.run;
  usePageTitle(run ? `Report: ${run.experiment_name} #${run.number}` : 'Report');
  return (
    <ShareToken value={token}>
      <main className={classes.shared}>
        <div className={classes.sharedTop}>
          <Logo />
          <div className="no-print">
            <ColorSchemeControl />
          </div>
        </div>
        <QueryView query={query} skeleton={[48, 140, 420, 200]}>
          {(report) => (
            <>
              <PageHeader
                title={`${report.run.experiment_name} #${report.run.number}`}
                meta={<ReportMeta report={report} />}
              />
              <ReportView report={report} />
            </>
          )}
        </QueryView>
      </main>
    </ShareToken>
  );
}
