import { Text } from '@mantine/core';
import type { Report, TemplateFindings } from '@/api/generated';
import { Section } from '../contents/Section';
import { FiguresTable } from './FiguresTable';
import { FindingBars } from './FindingBars';
import { FindingLines } from './FindingLines';
import { FindingSeries } from './FindingSeries';
import classes from './FindingsSection.module.css';

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

const titlesOf = (charts: readonly { title: string }[]) =>
  [...new Set(charts.map(({ title }) => title))].join('; ');

/** The template's own part of a report: the charts that belong to its question, and the article's figures. */
export function FindingsSection({ report }: { report: Report }) {
  const { findings } = report;
  if (!findings) return null;
  const { charts, missing, figures, source } = findings;
  return (
    <>
      <Section
        title="What the run shows"
        note="Charts chosen for the question. Dots and whiskers show single trials."
      >
        {charts.length > 0 ? (
          <div className={classes.findings}>
            {charts.map((chart) => (
              <FindingChart key={chart.key} chart={chart} report={report} />
            ))}
          </div>
        ) : (
          <Text size="sm" c="var(--text-dim)">
            No chart yet.
          </Text>
        )}
        {missing.length > 0 && (
          <Text size="sm" c="var(--text-dim)" mt="sm">
            Not shown, because no usable trial measured it: {titlesOf(missing)}.
          </Text>
        )}
      </Section>
      {figures.length > 0 && (
        <Section
          title="The article's figures and this run's"
          flush
          note={`After ${source.title}, ${source.published}. Figures depend on the hardware: compare the ratios between arms.`}
        >
          <FiguresTable rows={figures} arms={report.arms} />
        </Section>
      )}
    </>
  );
}
