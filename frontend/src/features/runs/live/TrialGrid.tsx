import { Tooltip } from '@mantine/core';
import type { RunDetail, TrialOut } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { ArmMark } from '@/components/experiments/ArmMark';
import { isOver } from '@/domain/runs';
import { armLabel, latestAttempts } from '@/domain/trials';
import { formatMicroseconds, formatValue } from '@/lib/format';
import classes from './TrialGrid.module.css';

interface Props {
  run: RunDetail;
  selectedId: string | undefined;
  onSelect: (trialId: string) => void;
}

function describe(trial: TrialOut, label: string): string {
  const facts = [`${label}, block ${trial.block}, trial ${trial.position + 1} in order: ${trial.state}`];
  if (trial.requests_per_s !== null) facts.push(formatValue(trial.requests_per_s, 'requests/s'));
  if (trial.latency_p99_us !== null) facts.push(`p99 ${formatMicroseconds(trial.latency_p99_us)}`);
  if (trial.attempt > 1) facts.push(`attempt ${trial.attempt}`);
  if (trial.reason) facts.push(trial.reason);
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

/** Arms down, blocks across; the number is the order in which the trials run. Press one to see its charts. */
export function TrialGrid({ run, selectedId, onSelect }: Props) {
  const trials = latestAttempts(run.trials);
  const blocks = Array.from({ length: run.plan.blocks }, (_, index) => index + 1);
  return (
    <div className={classes.gridScroll}>
      <table className={classes.grid}>
        <thead>
          <tr>
            <th scope="col">
              <span className="visually-hidden">Arm</span>
            </th>
            {blocks.map((block) => (
              <th key={block} scope="col">
                <span className="visually-hidden">Block </span>
                {block}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {run.arms.map((arm, index) => (
            <tr key={arm.key}>
              <th scope="row">
                <ArmMark index={index} label={arm.label} />
              </th>
              {blocks.map((block) => {
                const trial = trials.find(
                  (candidate) => candidate.block === block && candidate.arm === arm.key,
                );
                if (!trial) return <td key={block} />;
                const text = describe(trial, armLabel(run.arms, trial.arm));
                return (
                  <td key={block}>
                    <Tooltip label={text}>
                      <button
                        type="button"
                        className={classes.cell}
                        style={{ '--arm': armColor(index) } as React.CSSProperties}
                        data-tone={tone(trial.state)}
                        aria-pressed={trial.id === selectedId}
                        aria-label={text}
                        disabled={trial.state === 'pending' && (isOver(run) || !run.may_change)}
                        onClick={() => onSelect(trial.id)}
                      >
                        {MARKS[trial.state] ?? trial.position + 1}
                      </button>
                    </Tooltip>
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
