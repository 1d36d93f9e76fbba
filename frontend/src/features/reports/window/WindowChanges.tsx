import type { Report, WindowChangeOut } from '@/api/generated';
import { formatDateTime } from '@/lib/time';
import { formatWindow } from './window';
import classes from './window.module.css';

function place(report: Report, trialId: string | null) {
  const entry = report.trials.find(({ trial }) => trial.id === trialId);
  return trialId === null ? '' : `trial ${entry ? entry.trial.position + 1 : ''}: `;
}

function sentence(report: Report, change: WindowChangeOut): string {
  const planned = formatWindow(report.windows.planned);
  const what = change.window
    ? `${formatWindow(change.window)} (original: ${planned})`
    : `back to ${change.trial_id ? 'the window of the run' : `the planned window, ${planned}`}`;
  const who = change.changed_by ? ` by ${change.changed_by}` : '';
  const why = change.reason ? `: ${change.reason}` : '';
  return `${place(report, change.trial_id)}${what}${who} on ${formatDateTime(change.changed_at)}${why}`;
}

/** Every change of the window, the latest first: also those that no longer hold. */
export function WindowChanges({ report }: { report: Report }) {
  const { changes } = report.windows;
  if (changes.length === 0) return null;
  return (
    <div>
      <strong style={{ fontSize: 13 }}>Changes of the window</strong>
      <ul className={classes.changes} aria-label="Changes of the window">
        {changes.map((change) => (
          <li key={`${change.changed_at} ${change.trial_id}`}>{sentence(report, change)}</li>
        ))}
      </ul>
    </div>
  );
}
