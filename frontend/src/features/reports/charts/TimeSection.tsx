import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Group, SegmentedControl } from '@mantine/core';
import { Fragment } from 'react';
import type { Report, ReportTrial } from '@/api/generated';
import { SaveChart } from '@/components/charts/SaveChart';
import { CHARTS, comparedLabels, definitionFor, mainCharts } from '@/components/charts/series/definitions';
import { labelsOf, stayedAtZero, type TrialSource } from '@/components/charts/series/lines';
import { RangeFields } from '@/components/charts/time/choices';
import { RawRemovedNote } from '@/components/runs/ImportedNote';
import { CopyLink } from '@/components/ui/CopyLink';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { WhenNear } from '@/components/ui/WhenNear';
import { named, said } from '@/lib/language/serverText';
import { useSearchState } from '@/lib/useAddress';
import grid from '../charts.module.css';
import { changesOf } from '../comparison/changes';
import { useOrder } from '../comparison/useOrder';
import { Section } from '../contents/Section';
import { EmbedButton } from '../embed/EmbedButton';
import { useNoteOn, useReportMoments } from '../notes';
import { ArmsChart, namesOf, type Shown } from './ArmsChart';
import { apart, type ChangedChart } from './changedCharts';
import { blocksOf, trialsOf, usableTrials, useReportSources } from './sources';
import classes from './TimeSection.module.css';

/** In one line what stayed at zero: a chart of it would have nothing to show. Links to such a chart lead here. */
function NothingIn({ charts, sources }: { charts: Shown[]; sources: readonly TrialSource[] }) {
  if (charts.length === 0) return null;
  const names = charts.map((chart, index) => {
    const { title, id } = namesOf(chart, sources);
    return (
      <Fragment key={id}>
        {index > 0 && ', '}
        <span id={id}>{title}</span>
      </Fragment>
    );
  });
  return (
    <p className={classes.nothing}>
      <Trans>Nothing happened in: {names}.</Trans>
    </p>
  );
}

/** The charts to draw: one for each label that a report compares. */
function chartsOf(report: Report, sources: readonly TrialSource[], wantsAll: boolean): Shown[] {
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

const keyOf = ({ info, label }: Shown) => `${info.key} ${label}`;

interface BlockChoiceProps {
  blocks: readonly number[];
  value: string;
  onChange: (block: string) => void;
}

function BlockChoice({ blocks, value, onChange }: BlockChoiceProps) {
  const each = blocks.map((number) => ({ value: String(number), label: String(number) }));
  return (
    <Group gap={8} className="no-print">
      <span className={classes.controlLabel}>{t`Block`}</span>
      <SegmentedControl
        size="xs"
        aria-label={t`Block`}
        value={value}
        onChange={onChange}
        data={[...each, { value: 'all', label: t`All` }]}
      />
    </Group>
  );
}

interface ChartsProps {
  report: Report;
  block: string;
  trials: readonly ReportTrial[];
  wantsAll: boolean;
  isChangedFirst: boolean;
}

/** By how much what a chart shows differs, in each arm that is said to. */
function Changes({ changes }: { changes: ChangedChart['changes'] }) {
  return changes.map(({ arm, metric, comparison: { text, ci_text } }) => {
    const interval = ci_text ? ` (${said(ci_text)})` : '';
    return (
      <p key={`${arm.key} ${metric.key}`} className={classes.change}>
        {said(metric.title)}, {named(arm.label)}: <b>{text}</b>
        {interval}
      </p>
    );
  });
}

function Charts({ report, block, trials, wantsAll, isChangedFirst }: ChartsProps) {
  const { sources, error, retry, isLoaded } = useReportSources(
    report,
    trials.map(({ trial }) => trial),
  );
  const moments = useReportMoments(
    report,
    trials.map(({ trial }) => trial.id),
  );
  const noteOn = useNoteOn(report, trials[0]?.trial.id);
  const isNothing = ({ definition, label }: Shown) => stayedAtZero(definition, label, sources);
  const probes = report.trials.flatMap(({ summary }) => summary.streams.filter(({ probe }) => probe));
  const isOfProbe = ({ label }: Shown) => probes.some(({ stream }) => label.startsWith(`${stream} `));
  const all = chartsOf(report, sources, true);
  const [changed] = isChangedFirst
    ? apart(
        report.analysis,
        all.filter((chart) => !isNothing(chart) && !isOfProbe(chart)), // claims leave probes out
      )
    : [[]];
  const isChanged = new Set(changed.map(({ chart }) => keyOf(chart)));
  const others = chartsOf(report, sources, wantsAll).filter((chart) => !isChanged.has(keyOf(chart)));
  const drawn = (chart: Shown) => {
    const { info, label } = chart;
    const { title, id } = namesOf(chart, sources);
    return (
      <ArmsChart
        key={keyOf(chart)}
        {...chart}
        id={id}
        title={title}
        description={said(info.description)}
        sources={sources}
        isLoaded={isLoaded}
        plan={report.run.plan}
        syncId={report.run.id}
        notes={moments}
        onMoment={noteOn}
        height={150}
        actions={
          <>
            <CopyLink id={id} title={title} />
            <EmbedButton title={title} place={{ key: info.key, line: label, block }} />
            <SaveChart title={title} />
          </>
        }
      />
    );
  };
  return (
    <>
      {error && <ProblemNotice error={error} retry={retry} />}
      {changed.length > 0 && (
        <div className={classes.changed}>
          <h3>{t`What changed`}</h3>
          <div className={grid.charts}>
            {changed.map(({ chart, changes }) => (
              <div key={keyOf(chart)}>
                {drawn(chart)}
                <Changes changes={changes} />
              </div>
            ))}
          </div>
          <h3>{t`All else`}</h3>
        </div>
      )}
      <div className={grid.charts}>{others.filter((chart) => !isNothing(chart)).map(drawn)}</div>
      <NothingIn charts={others.filter(isNothing)} sources={sources} />
    </>
  );
}

/** One line an arm over the time of a trial: for one block, or for all of them at once. */
export function TimeSection({ report }: { report: Report }) {
  const usable = usableTrials(report);
  const blocks = blocksOf(usable);
  const [block, setBlock] = useSearchState('block', String(blocks[0] ?? 1));
  const [shown, setShown] = useSearchState('charts', 'main');
  const { isChangedFirst, button } = useOrder();
  if (usable.length === 0) return null;
  if (report.run.raw_removed)
    return (
      <Section id="over-time-within-a-trial" title={t`Over time within a trial`}>
        <RawRemovedNote removed={report.run.raw_removed} />
      </Section>
    );
  return (
    <Section
      id="over-time-within-a-trial"
      title={t`Over time within a trial`}
      note={t`Seconds since the start of the measured window. The shaded part is warm-up, which is not measured. A drag across a chart zooms all of them; a click pins a moment; a click on a name hides its line.`}
      actions={
        <>
          <RangeFields />
          <BlockChoice blocks={blocks} value={block} onChange={setBlock} />
          {changesOf(report.analysis).length > 0 && button}
        </>
      }
    >
      <WhenNear height={900}>
        <Charts
          report={report}
          block={block}
          trials={trialsOf(usable, block)}
          wantsAll={shown === 'all'}
          isChangedFirst={isChangedFirst}
        />
      </WhenNear>
      <Button
        className="no-print"
        variant="default"
        mt="md"
        onClick={() => setShown(shown === 'all' ? 'main' : 'all')}
      >
        {shown === 'all' ? t`Main charts only` : t`All charts`}
      </Button>
    </Section>
  );
}
