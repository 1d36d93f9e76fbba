import { t } from '@lingui/core/macro';
import { Trans } from '@lingui/react/macro';
import { Button, Tooltip } from '@mantine/core';
import { IconPlayerSkipForward } from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { type ArmDropped, type RunDetail, skipTrialMutation, type TrialOut } from '@/api/generated';
import { askFirst } from '@/components/access/askFirst';
import { armColor } from '@/components/charts/palette';
import { ArmMark } from '@/components/experiments/ArmMark';
import { isOver } from '@/domain/runs';
import { nameOfState } from '@/domain/states';
import { armLabel, counted, latestAttempts, placeOf } from '@/domain/trials';
import { formatMicroseconds, formatValue } from '@/lib/format';
import { said } from '@/lib/language/serverText';
import classes from './TrialGrid.module.css';
import { useAnsweredRun } from './useRun';

/** Go on without the selected trial, whether it waits, runs or has failed. */
export function SkipTrialButton({ run, trial }: { run: RunDetail; trial: TrialOut }) {
  const skip = useMutation({ ...skipTrialMutation(), ...useAnsweredRun() });
  const done = trial.state === 'completed' || trial.state === 'skipped';
  if (isOver(run) || !run.may_change || done) return null;
  const arm = armLabel(run.arms, trial.arm);
  const block = placeOf(trial);
  const inBlock = t`${arm}, ${block}: the run continues without it. Its block stays incomplete.`;
  const ask = () =>
    askFirst({
      title: t`Skip this trial?`,
      text: trial.profile ? t`${arm}, profile: the run continues without it.` : inBlock,
      confirm: t`Skip the trial`,
      isHarmless: true,
      onConfirm: () => skip.mutate({ path: { trial_id: trial.id } }),
    });
  return (
    <Button
      variant="default"
      size="compact-xs"
      leftSection={<IconPlayerSkipForward size={13} />}
      loading={skip.isPending}
      onClick={ask}
    >
      {t`Skip trial`}
    </Button>
  );
}

interface Props {
  run: RunDetail;
  selectedId: string | undefined;
  onSelect: (trialId: string) => void;
}

function describe(trial: TrialOut, label: string): string {
  const { attempt, profile } = trial;
  const block = placeOf(trial);
  const place = trial.position + 1;
  const state = nameOfState(trial.state);
  const inBlock = t`${label}, ${block}, trial ${place} in run order: ${state}`;
  const facts = [profile ? t`${label}, profile, which no verdict counts: ${state}` : inBlock];
  if (trial.requests_per_s !== null) facts.push(formatValue(trial.requests_per_s, 'requests/s'));
  if (trial.latency_p99_us !== null) facts.push(`p99 ${formatMicroseconds(trial.latency_p99_us)}`);
  if (attempt > 1) facts.push(t`attempt ${attempt}`);
  if (trial.reason) facts.push(said(trial.reason));
  return facts.join(' · ');
}

const MARKS: Partial<Record<TrialOut['state'], string>> = {
  failed: '×',
  lost: '?',
  cancelled: '–',
  skipped: '»',
};

function tone(state: TrialOut['state']): string {
  if (state === 'pending' || state === 'skipped') return 'pending';
  if (state === 'completed') return state;
  return state in MARKS ? 'ended' : 'running';
}

/** Requests a second of the slowest and the fastest of those trials that are completed. */
type Range = readonly [low: number, high: number];

function rangeOf(latest: readonly TrialOut[]): Range {
  const known = latest.flatMap((one) => (one.state === 'completed' ? (one.requests_per_s ?? []) : []));
  return [Math.min(...known), Math.max(...known)];
}

interface CellProps extends Props {
  trial: TrialOut;
  armIndex: number;
  range: Range;
}

/** Where the trial stands within the range, from 0 to 1; undefined where that says nothing. */
function standing({ requests_per_s: own, state }: TrialOut, [low, high]: Range): number | undefined {
  return own === null || state !== 'completed' || high === low ? undefined : (own - low) / (high - low);
}

function Cell({ run, trial, armIndex, range, selectedId, onSelect }: CellProps) {
  const text = describe(trial, armLabel(run.arms, trial.arm));
  const is = tone(trial.state);
  return (
    <Tooltip label={text}>
      <button
        type="button"
        className={is === 'running' ? `${classes.cell} going-on` : classes.cell}
        style={{ '--arm': armColor(armIndex), '--standing': standing(trial, range) } as React.CSSProperties}
        data-tone={is}
        aria-pressed={trial.id === selectedId}
        aria-label={text}
        disabled={trial.state === 'pending' && (isOver(run) || !run.may_change)}
        onClick={() => onSelect(trial.id)}
      >
        {MARKS[trial.state] ?? (trial.profile ? 'P' : trial.position + 1)}
      </button>
    </Tooltip>
  );
}

/** The blocks of the heats that were begun, then those that count. */
function columnsOf(plan: RunDetail['plan'], latest: readonly TrialOut[]): CellPlace[] {
  const begun = latest.flatMap(({ heat, block }) => (heat ? [{ heat, block }] : []));
  const heats = new Map(begun.map((place) => [`${place.heat} ${place.block}`, place]));
  const inOrder = [...heats.values()].sort((a, b) => a.heat - b.heat || a.block - b.block);
  const counting = Array.from({ length: plan.blocks }, (_, index) => ({ heat: null, block: index + 1 }));
  return [...inOrder, ...counting];
}

interface CellPlace {
  heat: number | null;
  block: number;
}

/** That a heat has dropped the arm, with the reason. */
function Dropped({ heat, reason }: ArmDropped) {
  return (
    <Tooltip label={said(reason)}>
      <span className={classes.dropped}>{t`dropped in heat ${heat}`}</span>
    </Tooltip>
  );
}

/**
 * Arms down, blocks across; the number is the order in which the trials run, and the fuller its colour, the more requests
 * a second it served. Profiles, which no verdict counts, stand behind them. Press one to see its charts.
 */
export function TrialGrid(props: Props) {
  const { arms, plan, trials } = props.run;
  const latest = latestAttempts(trials);
  const range = rangeOf(counted(latest));
  const columns = columnsOf(plan, latest);
  const profiles = arms.map(({ key }) => latest.filter(({ arm, profile }) => profile && arm === key));
  const rounds = Array.from({ length: Math.max(...profiles.map((own) => own.length)) }, (_, index) => index);
  return (
    <div className={classes.gridScroll}>
      <table className={classes.grid}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">{t`Arm`}</span>
            </th>
            {columns.map(({ heat, block }) => (
              <th key={`${heat} ${block}`} scope="col" data-heat={heat ?? undefined}>
                {heat === null ? (
                  <Trans>
                    <span className="visually-hidden">Block </span>
                    {block}
                  </Trans>
                ) : (
                  <Tooltip label={placeOf({ heat, block })}>
                    <span>{`${heat}.${block}`}</span>
                  </Tooltip>
                )}
              </th>
            ))}
            {rounds.map((round) => (
              <th key={`profile ${round}`} scope="col" title={t`Profile`}>
                <span className="visually-hidden">{t`Profile`}</span>
                <span aria-hidden>P</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {arms.map((arm, index) => (
            <tr key={arm.key} data-dropped={arm.dropped ? true : undefined}>
              <th scope="row">
                <ArmMark index={index} label={arm.label} />
                {arm.dropped && <Dropped {...arm.dropped} />}
              </th>
              {columns.map(({ heat, block }) => {
                const trial = latest.find(
                  (one) => (one.heat ?? null) === heat && one.block === block && one.arm === arm.key,
                );
                return (
                  <td key={`${heat} ${block}`}>
                    {trial && <Cell {...props} {...{ trial, range }} armIndex={index} />}
                  </td>
                );
              })}
              {rounds.map((round) => {
                const trial = profiles[index]?.[round];
                return (
                  <td key={`profile ${round}`}>
                    {trial && <Cell {...props} {...{ trial, range }} armIndex={index} />}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
