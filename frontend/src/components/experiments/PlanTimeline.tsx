import { Text } from '@mantine/core';
import type { PlanPreview } from '@/api/generated';
import { formatDuration } from '@/lib/format';
import { formatFinish } from '@/lib/time';
import { useNow } from '@/lib/useNow';
import classes from './PlanTimeline.module.css';

const MAX_DRAWN_BLOCKS = 20;
const counted = (count: number, noun: string) => `${count} ${noun}${count === 1 ? '' : 's'}`;
const numbers = (count: number) => Array.from({ length: count }, (_, index) => index + 1);

/** Every block drawn as its trials, phases to scale. */
function Blocks({ plan }: { plan: PlanPreview }) {
  const drawn = Math.min(plan.blocks, MAX_DRAWN_BLOCKS);
  const style = {
    '--warmup': plan.warmup_s,
    '--measure': plan.measure_s,
    '--cooldown': plan.cooldown_s,
  } as React.CSSProperties;
  return (
    <div
      className={classes.plan}
      style={style}
      role="img"
      aria-label={`${plan.blocks} blocks of ${plan.arms} trials`}
    >
      {numbers(drawn).map((block) => (
        <div key={block} className={classes.planBlock}>
          {numbers(plan.arms).map((trial) => (
            <div key={trial} className={classes.planTrial}>
              <i />
              <b />
              <i />
            </div>
          ))}
        </div>
      ))}
      {drawn < plan.blocks && <span className={classes.planMore}>+{plan.blocks - drawn}</span>}
    </div>
  );
}

/** Blocks of trials, each with warm-up, measured window and cool-down to scale, and when it would all be over. */
export function PlanTimeline({ plan, showFinish = true }: { plan: PlanPreview; showFinish?: boolean }) {
  const now = useNow(10_000, showFinish);
  return (
    <div>
      <div className={classes.planTotal}>
        <b>{formatDuration(plan.total_s)}</b>
        {showFinish && (
          <span>if started now, ends at about {formatFinish(new Date(now + plan.total_s * 1000))}</span>
        )}
      </div>
      <Blocks plan={plan} />
      <Text size="xs" c="var(--text-dim)" mt={8}>
        {counted(plan.blocks, 'block')} × {counted(plan.arms, 'arm')} = {counted(plan.trials, 'trial')}, in
        random order within each block. Each trial: {formatDuration(plan.warmup_s)} warm-up,{' '}
        {formatDuration(plan.measure_s)} measured, {formatDuration(plan.cooldown_s)} cool-down.
      </Text>
    </div>
  );
}
