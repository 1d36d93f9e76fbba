import type { ArmAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { ShareBars } from '@/components/charts/plots/ShareBars';
import { ArmMark } from '@/components/experiments/ArmMark';
import { formatCoefficient } from '@/lib/format';
import { Section } from '../contents/Section';
import classes from './BalanceSection.module.css';

/** How evenly the workers share the work, arm beside arm. */
export function BalanceSection({ arms }: { arms: readonly ArmAnalysis[] }) {
  if (arms.every((arm) => !arm.balance)) return null;
  return (
    <Section
      title="Balance between workers"
      note="Share of CPU time by nginx worker, busiest first, averaged over the trials. The dashed line is an equal share. CV is the standard deviation divided by the mean; 0 means perfectly even."
    >
      <div className={classes.balance}>
        {arms.map((arm, index) =>
          arm.balance ? (
            <div key={arm.key}>
              <ArmMark index={index} label={arm.label} />
              <ShareBars
                shares={arm.balance.workers.map((worker) => worker.cpu_share_percent)}
                color={armColor(index)}
                label={`CPU share of the workers under ${arm.label}: ${arm.balance.workers
                  .map((worker) => `${Math.round(worker.cpu_share_percent ?? 0)} %`)
                  .join(', ')}`}
              />
              <dl className={classes.cv}>
                <dt>CV of CPU</dt>
                <dd>{formatCoefficient(arm.balance.cpu_cv)}</dd>
                <dt>CV of connections</dt>
                <dd>{formatCoefficient(arm.balance.connections_cv)}</dd>
                <dt>Busiest / mean</dt>
                <dd>{formatCoefficient(arm.balance.cpu_max_over_mean)}</dd>
              </dl>
            </div>
          ) : null,
        )}
      </div>
    </Section>
  );
}
