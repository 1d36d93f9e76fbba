import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Alert, Button, Stack, Text } from '@mantine/core';
import { IconArrowBackUp } from '@tabler/icons-react';
import { useState } from 'react';
import type { ChosenWindow, Report, WindowChangeOut } from '@/api/generated';
import { useTrialSeries } from '@/api/trialSeries';
import { armColor } from '@/components/charts/palette';
import { RawRemovedNote } from '@/components/runs/ImportedNote';
import { ServerText } from '@/components/ui/language/ServerText';
import { lazyPart } from '@/components/ui/lazyPart';
import { WhenNear } from '@/components/ui/WhenNear';
import { armIndex } from '@/domain/trials';
import { said } from '@/lib/language/serverText';
import { formatDateTime } from '@/lib/time';
import { useChooseWindow } from '../api';
import { Section } from '../contents/Section';
import { WindowBrush } from './WindowBrush';
import { type Bounds, formatSeconds, formatWindow } from './window';
import classes from './window.module.css';

function place(report: Report, trialId: string | null) {
  if (trialId === null) return null;
  const entry = report.trials.find(({ trial }) => trial.id === trialId);
  const number = entry ? entry.trial.position + 1 : '';
  return t`trial ${number}`;
}

function whatChanged({ windows }: Report, { window, trial_id }: WindowChangeOut): string {
  const planned = formatWindow(windows.planned);
  if (!window) return trial_id ? t`back to the window of the run` : t`back to the planned window, ${planned}`;
  const chosen = formatWindow(window);
  return t`${chosen} (original: ${planned})`;
}

function sentence(report: Report, change: WindowChangeOut): string {
  const { changed_by: who, reason } = change;
  const what = whatChanged(report, change);
  const time = formatDateTime(change.changed_at);
  const said = who ? t`${what} by ${who} on ${time}` : t`${what} on ${time}`;
  return [place(report, change.trial_id), said, reason].filter(Boolean).join(': ');
}

/** Every change of the window, the latest first: also those that no longer hold. */
function WindowChanges({ report }: { report: Report }) {
  const { changes } = report.windows;
  if (changes.length === 0) return null;
  return (
    <div>
      <strong style={{ fontSize: 13 }}>{t`Changes of the window`}</strong>
      <ul className={classes.changes} aria-label={t`Changes of the window`}>
        {changes.map((change) => (
          <li key={`${change.changed_at} ${change.trial_id}`}>{sentence(report, change)}</li>
        ))}
      </ul>
    </div>
  );
}

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

function noteOf(report: Report): string {
  const { run, windows, analysis } = report;
  const planned = formatWindow(windows.planned);
  const window = analysis.chosen_window
    ? said(analysis.chosen_window)
    : t`Everything is computed from ${planned}, as planned.`;
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

/** What is selected and not applied yet; it is dropped when other windows hold. */
function useDraft({ windows }: Report) {
  const [draft, setDraft] = useState<ChosenWindow | null>(null);
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
  const { raw_removed } = report.run;
  const [draft, setDraft] = useDraft(report);
  if (report.trials.length === 0) return null;
  const bounds = { earliest: windows.earliest_s, latest: windows.planned.end_s };
  const shown = draft ?? windows.run ?? windows.planned;
  return (
    <Section
      id="measured-window"
      title={t`Measured window`}
      note={noteOf(report)}
      actions={<Restore report={report} />}
    >
      <Stack gap="sm">
        <Suggestion report={report} onUse={setDraft} />
        {raw_removed ? (
          <RawRemovedNote removed={raw_removed} />
        ) : (
          <WhenNear height={142}>
            <Chart
              report={report}
              bounds={bounds}
              shown={shown}
              isDraft={draft !== null}
              onChange={setDraft}
            />
          </WhenNear>
        )}
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
