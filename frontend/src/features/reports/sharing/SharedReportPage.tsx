import { useParams } from 'react-router';
import { ShareToken } from '@/api/shareToken';
import { ReadOnlyFrame, start } from '@/components/sharing/ReadOnlyFrame';
import { QueryView } from '@/components/ui/QueryView';
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
    <ShareToken value={token}>
      <ReadOnlyFrame>
        <QueryView query={query} skeleton={[48, 140, 420, 200]} wayOut={start()}>
          {(report) => <ReadOnlyContent report={report} asOf={report.as_of} />}
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}
