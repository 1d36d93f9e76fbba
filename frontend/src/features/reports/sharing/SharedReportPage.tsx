import { useParams } from 'react-router';
import { QueryView } from '@/components/ui/QueryView';
import { usePageTitle } from '@/lib/usePageTitle';
import { ShareToken } from '../api/access';
import { useSharedReport } from '../api/useSharedReport';
import { ReadOnlyContent, ReadOnlyFrame } from './ReadOnlyReport';

/** The report for anyone with the link: nothing around it, nothing to change. */
export default function SharedReportPage() {
  const { token = '' } = useParams();
  const query = useSharedReport(token);
  const run = query.data?.run;
  usePageTitle(run ? `Report: ${run.experiment_name} #${run.number}` : 'Report');
  return (
    <ShareToken value={token}>
      <ReadOnlyFrame>
        <QueryView query={query} skeleton={[48, 140, 420, 200]}>
          {(report) => <ReadOnlyContent report={report} />}
        </QueryView>
      </ReadOnlyFrame>
    </ShareToken>
  );
}
