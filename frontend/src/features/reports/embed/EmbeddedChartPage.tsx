import { t } from '@lingui/core/macro';
import { useParams, useSearchParams } from 'react-router';
import type { Report, SeriesInfo, SharedReport } from '@/api/generated';
import { ShareToken } from '@/api/shareToken';
import { comparedLabels, definitionFor } from '@/components/charts/series/definitions';
import { labelsOf } from '@/components/charts/series/lines';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { QueryView } from '@/components/ui/QueryView';
import { said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';
import { usePageTitle } from '@/lib/usePageTitle';
import { useSharedReport } from '../api';
import { ArmsChart, namesOf } from '../charts/ArmsChart';
import { Distribution } from '../charts/DistributionSection';
import { LatencyShift } from '../charts/ShiftSection';
import { blocksOf, trialsOf, usableTrials, useReportSources } from '../charts/sources';
import classes from './embed.module.css';
import { type ChartPlace, LATENCY, SHIFT } from './snippet';

interface Props {
  report: Report;
  place: ChartPlace;
}

function SeriesChart({ report, place, info }: Props & { info: SeriesInfo }) {
  const usable = usableTrials(report);
  const block = place.block ?? String(blocksOf(usable)[0] ?? 1);
  const trials = trialsOf(usable, block).map(({ trial }) => trial);
  const { sources, error, retry, isLoaded } = useReportSources(report, trials);
  if (error) return <ProblemNotice error={error} retry={retry} />;
  const definition = definitionFor(info);
  const label = place.line ?? comparedLabels(definition, labelsOf(definition, sources))[0] ?? '';
  const shown = { info, definition, label };
  return (
    <ArmsChart
      {...shown}
      {...namesOf(shown, sources)}
      description={said(info.description)}
      sources={sources}
      isLoaded={isLoaded}
      plan={report.run.plan}
      syncId={report.run.id}
      height={210}
    />
  );
}

/** One chart of a report, with nothing that could be done to it. */
function EmbeddedChart({ report, place }: Props) {
  if (place.key === LATENCY) return <Distribution arms={report.analysis.arms} />;
  if (place.key === SHIFT) return <LatencyShift arms={report.analysis.arms} />;
  const info = report.catalogue.find(({ key }) => key === place.key);
  if (!info) return <p role="alert">{t`This report has no such chart.`}</p>;
  return <SeriesChart report={report} place={place} info={info} />;
}

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
