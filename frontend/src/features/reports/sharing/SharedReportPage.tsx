import { useParams } from 'react-router';
import { SharedPage } from '@/components/sharing/ReadOnlyFrame';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSharedReport } from '../api';
import { pageTitle } from '../pageTitle';
import { ReadOnlyContent } from './ReadOnlyReport';

/** The report for anyone with the link: nothing around it, nothing to change. */
export default function SharedReportPage() {
  const { token = '' } = useParams();
  const query = useSharedReport(token);
  const run = query.data?.run;
  usePageTitle(pageTitle(run));
  return (
    <SharedPage query={query} skeleton={[48, 140, 420, 200]}>
      {(report) => <ReadOnlyContent report={report} asOf={report.as_of} />}
    </SharedPage>
  );
}
