import { t } from '@lingui/core/macro';
import { useParams, useSearchParams } from 'react-router';
import type { SharedReport } from '@/api/generated';
import { ShareToken } from '@/api/sharing/access';
import { QueryView } from '@/components/ui/QueryView';
import { formatDateTime } from '@/lib/time';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSharedReport } from '../api/useSharedReport';
import { EmbeddedChart } from './EmbeddedChart';
import classes from './embed.module.css';

/** Leads out of the frame: no other page of the application may stand in one. */
function Source({ report: { run, as_of }, token }: { report: SharedReport; token: string }) {
  const time = as_of && formatDateTime(as_of);
  return (
    <p className={classes.source}>
      <a href={`/shared/${encodeURIComponent(token)}`} target="_blank" rel="noopener noreferrer">
        {run.experiment_name} #{run.number}
      </a>
      {time && `, ${t`as of ${time}`}`} · ngxlab
    </p>
  );
}

/** One chart of a shared report: the page that other pages may frame. */
export default function EmbeddedChartPage() {
  const { token = '', chart = '' } = useParams();
  const [params] = useSearchParams();
  const query = useSharedReport(token);
  const of = (name: string) => params.get(name) ?? undefined;
  const name = query.data && `${query.data.run.experiment_name} #${query.data.run.number}`;
  const title = name && t`Chart of ${name}`;
  usePageTitle(title);
  return (
    <ShareToken value={token}>
      <main className={classes.embed}>
        <h1 className="visually-hidden">{title ?? t`Chart`}</h1>
        <QueryView query={query} skeleton={[280]}>
          {(report) => (
            <>
              <EmbeddedChart report={report} place={{ key: chart, line: of('line'), block: of('block') }} />
              <Source report={report} token={token} />
            </>
          )}
        </QueryView>
      </main>
    </ShareToken>
  );
}
