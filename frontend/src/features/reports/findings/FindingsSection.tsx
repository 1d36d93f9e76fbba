import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { ArmBarsChart, Report, TemplateFindings } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { armColor } from '@/components/charts/palette';
import { ArmBarsPlot } from '@/components/charts/plots/ArmBarsPlot';
import { ServerText } from '@/components/ui/language/ServerText';
import { armIndex } from '@/domain/trials';
import { formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { directions } from '../comparison/metricGroups';
import { Section } from '../contents/Section';
import { FiguresTable } from './FiguresTable';
import { FindingLines } from './FindingLines';
import { FindingSeries } from './FindingSeries';
import classes from './FindingsSection.module.css';

/** A quantity arm by arm, with the single trials. */
function FindingBars({ chart, arms }: { chart: ArmBarsChart; arms: Report['arms'] }) {
  const bars = chart.bars.map(({ arm, label, mean, values }) => ({
    key: arm,
    label,
    color: armColor(armIndex(arms, arm)),
    mean,
    values,
  }));
  return (
    <ChartFrame
      id={`chart-${chart.key}`}
      title={said(chart.title)}
      unit={chart.direction === 'neutral' ? '' : directions()[chart.direction]}
      why={<ServerText text={chart.why} />}
    >
      <ArmBarsPlot bars={bars} format={(value) => formatValue(value, chart.unit)} />
    </ChartFrame>
  );
}

function FindingChart({ chart, report }: { chart: TemplateFindings['charts'][number]; report: Report }) {
  switch (chart.kind) {
    case 'arm-bars':
      return <FindingBars chart={chart} arms={report.arms} />;
    case 'line':
      return <FindingLines chart={chart} arms={report.arms} />;
    case 'time-series':
      return <FindingSeries chart={chart} report={report} />;
    default:
      return null;
  }
}

interface FiguresProps {
  findings: TemplateFindings;
  arms: Report['arms'];
}

const titlesOf = (charts: readonly { title: string }[]) =>
  [...new Set(charts.map(({ title }) => said(title)))].join('; ');

function Figures({ findings: { figures, source }, arms }: FiguresProps) {
  if (figures.length === 0) return null;
  const { title, published } = source;
  return (
    <Section
      id="the-article-s-figures-and-this-run-s"
      title={t`The article's figures and this run's`}
      flush
      note={t`After ${title}, ${published}. Figures depend on the hardware: compare the ratios between arms.`}
    >
      <FiguresTable rows={figures} arms={arms} />
    </Section>
  );
}

/** The template's own part of a report: the charts that belong to its question, and the article's figures. */
export function FindingsSection({ report }: { report: Report }) {
  const { findings } = report;
  if (!findings) return null;
  const { charts, missing } = findings;
  const lacking = titlesOf(missing);
  return (
    <>
      <Section
        id="what-the-run-shows"
        title={t`What the run shows`}
        note={t`Charts chosen for the question. Dots and whiskers show single trials.`}
      >
        {charts.length > 0 ? (
          <div className={classes.findings}>
            {charts.map((chart) => (
              <FindingChart key={chart.key} chart={chart} report={report} />
            ))}
          </div>
        ) : (
          <Text size="sm" c="var(--text-dim)">
            {t`No chart yet.`}
          </Text>
        )}
        {missing.length > 0 && (
          <Text size="sm" c="var(--text-dim)" mt="sm">
            {t`Not shown, because no usable trial measured it: ${lacking}.`}
          </Text>
        )}
      </Section>
      <Figures findings={findings} arms={report.arms} />
    </>
  );
}
