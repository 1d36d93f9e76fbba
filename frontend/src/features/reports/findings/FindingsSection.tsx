import { t } from '@lingui/core/macro';
import { Text } from '@mantine/core';
import type { ArmBarsChart, FigureRow, Report, TemplateFindings } from '@/api/generated';
import { ChartFrame } from '@/components/charts/ChartFrame';
import { armColor } from '@/components/charts/palette';
import { ArmBarsPlot } from '@/components/charts/plots/ArmBarsPlot';
import { ServerText } from '@/components/ui/language/ServerText';
import type { Column } from '@/components/ui/table/DataTable';
import { directions } from '@/domain/directions';
import { armIndex } from '@/domain/trials';
import { formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import { armColumn, figureColumn, GroupedTable } from '../tables';
import tables from '../tables.module.css';
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

const Nothing = ({ children }: { children: string }) => (
  <Text span size="xs" c="var(--text-dim)">
    {children}
  </Text>
);

const figureTitle = (): Column<FigureRow> => ({
  name: t`Figure`,
  look: { className: classes.figure },
  cell: ({ label, where, note }) => (
    <>
      {said(label)}
      <Text size="xs" c="var(--text-dim)" fw={400}>
        {[where, note]
          .filter(Boolean)
          .map(said)
          .join(t({ message: '. ', context: 'between sentences' }))}
      </Text>
    </>
  ),
});

const figureColumns = (arms: Report['arms']): Column<FigureRow['cells'][number]>[] => [
  armColumn(arms),
  figureColumn(t`Article`, ({ article }) =>
    article === null ? <Nothing>{t`not given`}</Nothing> : said(article),
  ),
  figureColumn(t`This run`, ({ yours }) => yours ?? <Nothing>{t`not measured`}</Nothing>),
];

const cellsOf = ({ cells }: FigureRow) =>
  cells
    .filter(({ article, yours }) => article !== null || yours !== null)
    .map((cell) => ({ ...cell, id: cell.arm }));

const titlesOf = (charts: readonly { title: string }[]) =>
  [...new Set(charts.map(({ title }) => said(title)))].join('; ');

/** What the article published beside what this run measured. */
function Figures({
  findings: { figures, source },
  arms,
}: {
  findings: TemplateFindings;
  arms: Report['arms'];
}) {
  if (figures.length === 0) return null;
  const { title, published } = source;
  return (
    <Section
      id="the-article-s-figures-and-this-run-s"
      title={t`The article's figures and this run's`}
      flush
      note={t`After ${title}, ${published}. Figures depend on the hardware: compare the ratios between arms.`}
    >
      <GroupedTable
        groups={figures.map((row) => ({ ...row, id: said(row.label) }))}
        rowsOf={cellsOf}
        groupColumns={[figureTitle()]}
        columns={figureColumns(arms)}
        minWidth={560}
        verticalSpacing={5}
        className={tables.comparison}
      />
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
