import type { ReactNode } from 'react';
import type { Report } from '@/api/generated';
import { Logo } from '@/components/brand/Logo';
import { ColorSchemeControl } from '@/components/ui/ColorSchemeControl';
import { PageHeader } from '@/components/ui/PageHeader';
import { ReportMeta } from '../ReportMeta';
import { ReportView } from '../ReportView';
import { ExportMenu } from './ExportMenu';
import classes from './SharedReportPage.module.css';

/** Around a report for readers without an account. */
export function ReadOnlyFrame({ children }: { children: ReactNode }) {
  return (
    <main className={classes.shared}>
      <div className={classes.sharedTop}>
        <Logo />
        <div className="no-print">
          <ColorSchemeControl />
        </div>
      </div>
      {children}
    </main>
  );
}

/** The report itself: nothing to change. */
export function ReadOnlyContent({ report }: { report: Report }) {
  return (
    <>
      <PageHeader
        title={`${report.run.experiment_name} #${report.run.number}`}
        meta={<ReportMeta report={report} />}
        actions={<ExportMenu run={report.run} />}
      />
      <ReportView report={report} />
    </>
  );
}

export function ReadOnlyReport({ report }: { report: Report }) {
  return (
    <ReadOnlyFrame>
      <ReadOnlyContent report={report} />
    </ReadOnlyFrame>
  );
}
