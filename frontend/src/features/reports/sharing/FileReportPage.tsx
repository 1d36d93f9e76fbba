import type { Report } from '@/api/generated';
import { IN_A_FILE, ShareToken } from '@/api/sharing/access';
import { usePageTitle } from '@/lib/usePageTitle';
import { pageTitle } from '../pageTitle';
import { ReadOnlyReport } from './ReadOnlyReport';

/** The report in a file of its own: no server, nothing to change, nothing to fetch. */
export default function FileReportPage({ report }: { report: Report }) {
  usePageTitle(pageTitle(report.run));
  return (
    <ShareToken value={IN_A_FILE}>
      <ReadOnlyReport report={report} />
    </ShareToken>
  );
}
