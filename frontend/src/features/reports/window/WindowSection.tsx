import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChosenWindow, Report } from '@/api/generated';
import { useTrialSeries } from '@/api/sharing/useTrialSeries';
import { armColor } from '@/components/charts/palette';
import { RawRemovedNote } from '@/components/runs/RawRemovedNote';
import { ServerText } from '@/components/ui/language/ServerText';
import { lazyPart } from '@/components/ui/lazy/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { armIndex } from '@/domain/trials';
import { useChooseWindow } from '../api/useChooseWindow';
import { usePreparedWindow } from '../api/usePreparedWindow';
import { Section } from '../contents/Section';
import { WindowBrush } from './WindowBrush';
import { WindowChanges } from './WindowChanges';
import { type Bounds, formatSeconds, formatWindow } from './window';
import classes from './window.module.css';

const WindowForm = lazyPart(() => import('./WindowForm').then(({ WindowForm }) => WindowForm));

/** The trials whose rates are drawn. */
function firstBlock({ trials }: Report) {
  const measured = trials.filter(({ trial }) => trial.state === 'completed');
  const block = Math.min(...measured.map(({ trial }) => trial.block));
  return { block, drawn: measured.filter(({ trial }) => trial.block === block) };
}

function useRates(report: Report) {
  const { drawn } = firstBlock(report);
  const { data, error, retry } = useTrialSeries(drawn.map(({ trial }) => trial.id));
  const lines = drawn.flatMap(({ trial }, place) =>
    (data[place]?.series ?? [])
      .filter(({ key }) => key === 'requests_per_s')
      .map(({ label, points }) => ({
        key: `${trial.id} ${label}`,
        color: armColor(armIndex(report.arms, trial.arm)),
        points: points as [number, number | null][],
      })),
  );
  return { lines, error, retry };
}

function Drawing(props: ChartProps) {
  const { raw_removed } = props.report.run;
  if (raw_removed) return <RawRemovedNote removed={raw_removed} />;
  return (
    <WhenNear height={142}>
      <Chart {...props} />
    </WhenNear>
  );
}

function Suggestion({ report, onUse }: { report: Report; onUse: ((window: ChosenWindow) => void) | null }) {
  const suggestion = report.analysis.suggested_window;
  if (!suggestion) return null;
  const window = formatWindow(suggestion.window);
  return (
    <Alert variant="light" color="yellow" title={t`The warm-up may have been too short`}>
      <ServerText text={suggestion.text} /> {t`Nothing was changed.`}
      {onUse && (
        <Button size="compact-xs" variant="default" ml="sm" onClick={() => onUse(suggestion.window)}>
          {t`Select ${window}`}
        </Button>
      )}
    </Alert>
  );
}

function Restore({ report }: { report: Report }) {
  const choose = useChooseWindow(report.run.id);
  const { run, trials, may_choose } = report.windows;
  if (!may_choose || (run === null && trials.length === 0)) return null;
  return (
    <Button
      className="no-print"
      variant="default"
      leftSection={<IconArrowBackUp size={14} />}
      loading={choose.isPending}
      onClick={() => choose.mutate({ trialId: null, window: null, reason: '' })}
    >
      <Trans>Restore the planned window</Trans>
    </Button>
  );
}

function said(report: Report): string {
  const { run, windows, analysis } = report;
  const planned = formatWindow(windows.planned);
  const window = analysis.chosen_window ?? t`Everything is computed from ${planned}, as planned.`;
  if (run.raw_removed) return window;
  const { block } = firstBlock(report);
  const drawn = t`Requests/s of block ${block}, over seconds since the start of the planned window (dashed line).`;
  return `${drawn} ${window}`;
}

interface ChartProps {
  report: Report;
  bounds: Bounds;
  shown: ChosenWindow;
  isDraft: boolean;
  onChange: ((window: ChosenWindow) => void) | null;
}

function Chart({ report, bounds, shown, isDraft, onChange }: ChartProps) {
  const rates = useRates(report);
  const window = formatWindow(shown);
  return (
    <div>
      {rates.error && (
        <Text size="sm">
          {t`Some rates could not be loaded.`}{' '}
          <Button size="compact-xs" variant="default" onClick={rates.retry}>
            <Trans>Load them again</Trans>
          </Button>
        </Text>
      )}
      <WindowBrush lines={rates.lines} bounds={bounds} window={shown} onChange={onChange} />
      <div className={classes.axis}>
        <span>{formatSeconds(bounds.earliest)}</span>
        <span>{isDraft ? t`${window}, not applied yet` : window}</span>
        <span>{formatSeconds(bounds.latest)}</span>
      </div>
    </div>
  );
}

/** What is selected and not applied yet; it is dropped when other windows hold. The first selection has the server read
 * what the window will be computed from. */
function useDraft({ run, windows }: Report) {
  const [draft, setDraft] = useState<ChosenWindow | null>(null);
  usePreparedWindow(run.id, draft !== null);
  const [seen, setSeen] = useState(windows);
  if (seen !== windows) {
    setSeen(windows);
    setDraft(null);
  }
  return [draft, windows.may_choose ? setDraft : null] as const;
}

/** The window that all results rest on: shown to everybody, moved by whoever may change the run. */
export function WindowSection({ report }: { report: Report }) {
  const { windows } = report;
  const [draft, setDraft] = useDraft(report);
  if (report.trials.length === 0) return null;
  const bounds = { earliest: windows.earliest_s, latest: windows.planned.end_s };
  const shown = draft ?? windows.run ?? windows.planned;
  return (
    <Section
      id="measured-window"
      title={t`Measured window`}
      note={said(report)}
      actions={<Restore report={report} />}
    >
      <Stack gap="sm">
        <Suggestion report={report} onUse={setDraft} />
        <Drawing report={report} bounds={bounds} shown={shown} isDraft={draft !== null} onChange={setDraft} />
        {setDraft && (
          <WhenNear height={62}>
            <WindowForm report={report} bounds={bounds} window={shown} onChange={setDraft} />
          </WhenNear>
        )}
        <WindowChanges report={report} />
      </Stack>
    </Section>
  );
}
