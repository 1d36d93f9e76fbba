import { Button, Group, SegmentedControl } from '@mantine/core';
import type { Report, ReportTrial } from '@/api/generated';
import { CHARTS, comparedLabels, definitionFor, mainCharts } from '@/components/charts/series/definitions';
import { labelsOf, type TrialSource } from '@/components/charts/series/lines';
import { useSources } from '@/components/charts/series/useSources';
import { RawRemovedNote } from '@/components/runs/RawRemovedNote';
import { Panel } from '@/components/ui/Panel';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { armIndex, armLabel } from '@/domain/trials';
import { useSearchState } from '@/lib/useSearchState';
import { useReportMoments } from '../api/useReportMoments';
import { useTrialSeries } from '../api/useTrialSeries';
import grid from '../charts.module.css';
import { useNoteOn } from '../notes/useNoteOn';
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

/** The charts to draw: one for each label that a report compares. */
function chartsOf(report: Report, sources: readonly TrialSource[], wantsAll: boolean) {
  const byKey = new Map(report.catalogue.map((info) => [info.key, info]));
  const known = CHARTS.flatMap((definition) => {
    const info = byKey.get(definition.key);
    return info ? [{ info, definition }] : [];
  });
  const primary = mainCharts(known, (definition) => labelsOf(definition, sources).length > 0);
  const others = report.catalogue
    .map((info) => ({ info, definition: definitionFor(info) }))
    .filter(({ definition }) => !definition.primary);
  return (wantsAll ? [...primary, ...others] : primary).flatMap(({ info, definition }) => {
    const labels = comparedLabels(definition, labelsOf(definition, sources));
    return labels.map((label) => ({ info, definition, label }));
  });
}

interface BlockChoiceProps {
  blocks: readonly number[];
  value: string;
  onChange: (block: string) => void;
}

function BlockChoice({ blocks, value, onChange }: BlockChoiceProps) {
  const each = blocks.map((number) => ({ value: String(number), label: String(number) }));
  return (
    <Group gap={8} className="no-print">
      <span className={classes.controlLabel}>Block</span>
      <SegmentedControl
        size="xs"
        aria-label="Block"
        value={value}
        onChange={onChange}
        data={[...each, { value: 'all', label: 'All' }]}
      />
    </Group>
  );
}

interface ChartsProps {
  report: Report;
  trials: readonly ReportTrial[];
  wantsAll: boolean;
}

function Charts({ report, trials, wantsAll }: ChartsProps) {
  const { sources, error, retry } = useReportSources(report, trials);
  const moments = useReportMoments(
    report,
    trials.map(({ trial }) => trial.id),
  );
  const noteOn = useNoteOn(report, trials[0]?.trial.id);
  return (
    <>
      {error && <ProblemNotice error={error} retry={retry} />}
      <div className={grid.charts}>
        {chartsOf(report, sources, wantsAll).map((chart) => (
          <ArmsChart
            key={`${chart.info.key} ${chart.label}`}
            {...chart}
            sources={sources}
            plan={report.run.plan}
            syncId={report.run.id}
            notes={moments}
            onMoment={noteOn}
          />
        ))}
      </div>
    </>
  );
}

/** One line an arm over the time of a trial: for one block, or for all of them at once. */
export function TimeSection({ report }: { report: Report }) {
  const usable = usableTrials(report);
  const blocks = [...new Set(usable.map(({ trial }) => trial.block))].sort((a, b) => a - b);
  const [block, setBlock] = useSearchState('block', String(blocks[0] ?? 1));
  const [shown, setShown] = useSearchState('charts', 'main');
  if (usable.length === 0) return null;
  if (report.run.raw_removed)
    return (
      <Panel title="Over time within a trial">
        <RawRemovedNote removed={report.run.raw_removed} />
      </Panel>
    );
  return (
    <Panel
      title="Over time within a trial"
      note="Seconds since the start of the measured window. The shaded part is warm-up, which is not measured."
      actions={<BlockChoice blocks={blocks} value={block} onChange={setBlock} />}
    >
      <Charts
        report={report}
        trials={block === 'all' ? usable : usable.filter(({ trial }) => String(trial.block) === block)}
        wantsAll={shown === 'all'}
      />
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
