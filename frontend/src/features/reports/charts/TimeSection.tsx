import { Button, Group, SegmentedControl } from '@mantine/core';
import type { Report, ReportTrial } from '@/api/generated';
import { CHARTS, comparedLabels, definitionFor, mainCharts } from '@/components/charts/series/definitions';
import { labelsOf } from '@/components/charts/series/lines';
import { useSources } from '@/components/charts/series/useSources';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { armIndex, armLabel } from '@/domain/trials';
import { useSearchState } from '@/lib/useSearchState';
import { useTrialSeries } from '../api/useTrialSeries';
import grid from '../charts.module.css';
import { ArmsChart } from './ArmsChart';
import classes from './TimeSection.module.css';

function usableTrials(report: Report): ReportTrial[] {
  return report.trials.filter(({ summary }) => summary.usable);
}

function useReportSources(report: Report, trials: readonly ReportTrial[]) {
  const { data, error, retry } = useTrialSeries(trials.map(({ trial }) => trial.id));
  const drawn = trials.map(({ trial }) => ({
    trialId: trial.id,
    armIndex: armIndex(report.arms, trial.arm),
    armLabel: armLabel(report.arms, trial.arm),
  }));
  return { sources: useSources(drawn, data), error, retry };
}

/** One line an arm over the time of a trial: for one block, or for all of them at once. */
export function TimeSection({ report }: { report: Report }) {
  const usable = usableTrials(report);
  const blocks = [...new Set(usable.map(({ trial }) => trial.block))].sort((a, b) => a - b);
  const [block, setBlock] = useSearchState('block', String(blocks[0] ?? 1));
  const [shown, setShown] = useSearchState('charts', 'main');
  const trials = block === 'all' ? usable : usable.filter(({ trial }) => String(trial.block) === block);
  const { sources, error, retry } = useReportSources(report, trials);
  if (usable.length === 0) return null;

  const byKey = new Map(report.catalogue.map((info) => [info.key, info]));
  const known = CHARTS.flatMap((definition) => {
    const info = byKey.get(definition.key);
    return info ? [{ info, definition }] : [];
  });
  const primary = mainCharts(known, (definition) => labelsOf(definition, sources).length > 0);
  const others = report.catalogue
    .map((info) => ({ info, definition: definitionFor(info) }))
    .filter(({ definition }) => !definition.primary);
  const charts = (shown === 'all' ? [...primary, ...others] : primary).flatMap(({ info, definition }) => {
    const labels = comparedLabels(definition, labelsOf(definition, sources));
    return labels.map((label) => ({ info, definition, label }));
  });
  return (
    <Panel
      title="Over the time of a trial"
      note="Seconds since the measured window began; the shaded part is warm-up, which is not counted."
      actions={
        <Group gap={8} className="no-print">
          <span className={classes.controlLabel}>Block</span>
          <SegmentedControl
            size="xs"
            aria-label="Block"
            value={block}
            onChange={setBlock}
            data={[
              ...blocks.map((number) => ({ value: String(number), label: String(number) })),
              { value: 'all', label: 'All' },
            ]}
          />
        </Group>
      }
    >
      {error && <ProblemNotice error={error} retry={retry} />}
      <div className={grid.charts}>
        {charts.map(({ info, definition, label }) => (
          <ArmsChart
            key={`${info.key} ${label}`}
            info={info}
            definition={definition}
            label={label}
            sources={sources}
            plan={report.run.plan}
            syncId={report.run.id}
          />
        ))}
      </div>
      <Button
        className="no-print"
        variant="default"
        mt="md"
        onClick={() => setShown(shown === 'all' ? 'main' : 'all')}
      >
        {shown === 'all' ? 'Main charts only' : 'All charts'}
      </Button>
    </Panel>
  );
}
