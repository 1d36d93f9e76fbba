import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Text } from '@mantine/core';
import { useState } from 'react';
import type { Report, TimeSeriesChart } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { definitionFor, essentialLabels } from '@/components/charts/series/definitions';
import { labelsOf } from '@/components/charts/series/lines';
import { useShownSeries } from '@/components/charts/series/useShownSeries';
import { useSources } from '@/components/charts/series/useSources';
import { RawRemovedNote } from '@/components/runs/RawRemovedNote';
import { ServerText } from '@/components/ui/language/ServerText';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { armIndex } from '@/domain/trials';
import { said } from '@/lib/language/serverText';
import charts from '../charts.module.css';
import classes from './FindingSeries.module.css';
import { Apart, Together } from './SeriesCharts';

/** So many arms are drawn without being asked for. */
const FIRST = 6;

interface Props {
  chart: TimeSeriesChart;
  report: Report;
}

function useFindingSources({ chart, report }: Props, shown: number) {
  const trials = chart.trials.slice(0, shown);
  const { data, error, retry } = useShownSeries(trials.map(({ trial_id }) => trial_id));
  const drawn = trials.map(({ trial_id, arm, label }) => ({
    trialId: trial_id,
    armIndex: armIndex(report.arms, arm),
    armLabel: label,
  }));
  const sources = useSources(drawn, data);
  return { sources, error, retry, isLoaded: data.every((one) => one !== undefined) };
}

const frameOf = ({ key, title, why }: TimeSeriesChart) => ({
  id: `chart-${key}`,
  title: said(title),
  why: <ServerText text={why} />,
});

/** A series over the time of one trial an arm: arms in one chart where each has one line, else a chart for each. */
export function FindingSeries({ chart, report }: Props) {
  if (!report.run.raw_removed) return <Drawn chart={chart} report={report} />;
  return (
    <ChartFrame {...frameOf(chart)}>
      <RawRemovedNote removed={report.run.raw_removed} />
    </ChartFrame>
  );
}

function Drawn({ chart, report }: Props) {
  const [shown, setShown] = useState(FIRST);
  const { sources, error, retry, isLoaded } = useFindingSources({ chart, report }, shown);
  const info = report.catalogue.find(({ key }) => key === chart.series);
  if (!info) return null;
  const definition = definitionFor(info);
  const known = labelsOf(definition, sources);
  const labels =
    chart.lines.length > 0
      ? chart.lines.filter((label) => known.includes(label))
      : essentialLabels(definition, known);
  const more = chart.trials.length - shown;
  return (
    <ChartFrame {...frameOf(chart)} wide={labels.length !== 1}>
      {error && <ProblemNotice error={error} retry={retry} />}
      {labels.length === 0 && isLoaded && (
        <Text size="sm" c="var(--text-dim)">
          <Trans>These trials have no data for this chart.</Trans>
        </Text>
      )}
      {labels.length === 1 ? (
        <Together {...{ chart, report, sources, info, definition, isLoaded }} label={labels[0] ?? ''} />
      ) : null}
      {labels.length > 1 && (
        <div className={charts.charts}>
          <Apart {...{ chart, report, sources, info, definition, isLoaded, labels }} />
        </div>
      )}
      {more > 0 && (
        <Button variant="default" mt="sm" className={classes.more} onClick={() => setShown(shown + more)}>
          {t`${more} more arms`}
        </Button>
      )}
    </ChartFrame>
  );
}
