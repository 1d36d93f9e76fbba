import { plural, t } from '@lingui/core/macro';
import type { PlanPreview } from '@/api/generated';
import { Dim } from '@/components/ui/Dim';
import { formatDuration } from '@/lib/format';
import { formatFinish } from '@/lib/time';
import { useNow } from '@/lib/useNow';
import classes from './PlanTimeline.module.css';

const MAX_DRAWN_BLOCKS = 20;

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

function planWords({ blocks, block_arms: arms, heat_trials, trials: every, ...each }: PlanPreview): string {
  const trials = every - heat_trials;
  const counting = t`${plural(blocks, { one: '# block', other: '# blocks' })} × ${plural(arms, { one: '# arm', other: '# arms' })} = ${plural(trials, { one: '# trial', other: '# trials' })}, in random order within each block.`;
  const all =
    heat_trials > 0 ? `${t`First ${heat_trials} trials in heats choose the arms.`} ${counting}` : counting;
  const [warmUp, measured] = [formatDuration(each.warmup_s), formatDuration(each.measure_s)];
  const coolDown = formatDuration(each.cooldown_s);
  return `${all} ${t`Each trial: ${warmUp} warm-up, ${measured} measured, ${coolDown} cool-down.`}`;
}

function Blocks({ plan }: { plan: PlanPreview }) {
  const { blocks, block_arms: arms } = plan;
  const drawn = Math.min(blocks, MAX_DRAWN_BLOCKS);
  const style = {
    '--warmup': plan.warmup_s,
    '--measure': plan.measure_s,
    '--cooldown': plan.cooldown_s,
  } as React.CSSProperties;
  return (
    <div className={classes.plan} style={style} role="img" aria-label={t`${blocks} blocks of ${arms} trials`}>
      {numbers(drawn).map((block) => (
        <div key={block} className={classes.planBlock}>
          {numbers(arms).map((trial) => (
            <div key={trial} className={classes.planTrial}>
              <i />
              <b />
              <i />
            </div>
          ))}
        </div>
      ))}
      {drawn < blocks && <span className={classes.planMore}>+{blocks - drawn}</span>}
    </div>
  );
}

export function PlanTimeline({ plan, showFinish = true }: { plan: PlanPreview; showFinish?: boolean }) {
  const now = useNow(10_000, showFinish);
  const finish = formatFinish(new Date(now + plan.total_s * 1000));
  return (
    <div>
      <div className={classes.planTotal}>
        <b>{formatDuration(plan.total_s)}</b>
        {showFinish && <span>{t`if started now, ends at about ${finish}`}</span>}
      </div>
      <Blocks plan={plan} />
      <Dim size="xs" mt={8}>
        {planWords(plan)}
      </Dim>
    </div>
  );
}
