import { t } from '@lingui/core/macro';
import type { Report, WindowChangeOut } from '@/api/generated';
import { formatDateTime } from '@/lib/time';
import { formatWindow } from './window';
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
export function WindowChanges({ report }: { report: Report }) {
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
