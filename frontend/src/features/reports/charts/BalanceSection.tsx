import { t } from '@lingui/core/macro';
import type { ArmAnalysis } from '@/api/generated';
import { armColor } from '@/components/charts/palette';
import { ShareBars } from '@/components/charts/plots/ShareBars';
import { ArmMark } from '@/components/experiments/ArmMark';
import { formatCoefficient } from '@/lib/format';
import { named } from '@/lib/language/serverText';
import { Section } from '../contents/Section';
import classes from './BalanceSection.module.css';

/** The share of work of each worker, by arm. */
function shareWords({ label: given, balance }: ArmAnalysis): string {
  const label = named(given);
  const shares = (balance?.workers ?? []).map((worker) => `${Math.round(worker.cpu_share_percent ?? 0)} %`);
  const list = shares.join(', ');
  return t`CPU share of the workers under ${label}: ${list}`;
}

export function BalanceSection({ arms }: { arms: readonly ArmAnalysis[] }) {
  if (arms.every((arm) => !arm.balance)) return null;
  return (
    <Section
      id="balance-between-workers"
      title={t`Balance between workers`}
      note={t`Share of CPU time by nginx worker, busiest first, averaged over the trials. The dashed line is an equal share. CV is the standard deviation divided by the mean; 0 means perfectly even.`}
    >
      <div className={classes.balance}>
        {arms.map((arm, index) =>
          arm.balance ? (
            <div key={arm.key}>
              <ArmMark index={index} label={arm.label} />
              <ShareBars
                shares={arm.balance.workers.map((worker) => worker.cpu_share_percent)}
                color={armColor(index)}
                label={shareWords(arm)}
              />
              <dl className={classes.cv}>
                <dt>{t`CV of CPU`}</dt>
                <dd>{formatCoefficient(arm.balance.cpu_cv)}</dd>
                <dt>{t`CV of connections`}</dt>
                <dd>{formatCoefficient(arm.balance.connections_cv)}</dd>
                <dt>{t`Busiest / mean`}</dt>
                <dd>{formatCoefficient(arm.balance.cpu_max_over_mean)}</dd>
              </dl>
            </div>
          ) : null,
        )}
      </div>
    </Section>
  );
}
