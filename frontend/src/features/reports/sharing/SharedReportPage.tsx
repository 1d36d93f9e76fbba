import { useParams } from 'react-router';
import { SharedPage } from '@/components/sharing/ReadOnlyFrame';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSharedReport } from '../api';
import { pageTitle } from '../ReportMeta';
import { ReadOnlyReport } from './ReadOnlyReport';

/** The report for anyone with the link: nothing around it, nothing to change. */
export default function SharedReportPage() {
  const { token = '' } = useParams();
  const query = useSharedReport(token);
  usePageTitle(pageTitle(query.data?.run));
  return (
    <SharedPage query={query} skeleton={[48, 140, 420, 200]}>
      {(report) => <ReadOnlyReport report={report} asOf={report.as_of} />}
    </SharedPage>
  );
}
