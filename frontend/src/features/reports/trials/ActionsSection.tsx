import { t } from '@lingui/core/macro';
import type { ActionsSummary, Report } from '@/api/generated';
import { ArmMark } from '@/components/experiments/ArmMark';
import { ActionsTable } from '@/components/runs/ActionsTable';
import { Section } from '../contents/Section';

/** Several trials' figures of one perturbation, as one: means weighted by what was done. */
function together(all: readonly ActionsSummary[]): ActionsSummary | null {
  const [first] = all;
  if (!first) return null;
  const sum = (pick: (one: ActionsSummary) => number) => all.reduce((total, one) => total + pick(one), 0);
  const timed = all.filter(({ mean_s }) => mean_s !== null);
  const done = timed.reduce((total, one) => total + one.count - one.skipped, 0);
  const total_s = timed.reduce((total, one) => total + (one.mean_s ?? 0) * (one.count - one.skipped), 0);
  const longest = all.flatMap(({ max_s }) => max_s ?? []);
  return {
    ...first,
    count: sum(({ count }) => count),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    mean_s: done > 0 ? total_s / done : null,
    max_s: longest.length > 0 ? Math.max(...longest) : null,
  };
}

/** What perturbations did, arm by arm, over all usable trials. */
export function ActionsSection({ report: { trials, arms } }: { report: Report }) {
  const usable = trials.filter(({ summary }) => summary.usable);
  const all = usable.flatMap(({ summary }) => summary.actions ?? []);
  const names = [...new Set(all.map(({ host, perturbation }) => `${perturbation}\u0000${host}`))];
  const rows = names.flatMap((name) =>
    arms.flatMap((arm, index) => {
      const own = usable
        .filter(({ trial }) => trial.arm === arm.key)
        .flatMap(({ summary }) => summary.actions ?? [])
        .filter(({ host, perturbation }) => `${perturbation}\u0000${host}` === name);
      const summary = together(own);
      return summary
        ? [{ id: `${name} ${arm.key}`, of: <ArmMark index={index} label={arm.label} />, summary }]
        : [];
    }),
  );
  if (rows.length === 0) return null;
  return (
    <Section
      id="perturbations"
      title={t`Perturbations`}
      flush
      note={t`Actions carried out on purpose, over all usable trials. Every chart marks each action.`}
    >
      <ActionsTable rows={rows} of={t`Arm`} />
    </Section>
  );
}
