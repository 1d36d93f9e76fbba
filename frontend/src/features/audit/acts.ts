import type { Act } from '@/api/generated';

/** What each act is called, in the order of the filter. */
const WORDS: Record<Act, string> = {
  'signed-in': 'Signed in',
  'sign-in-failed': 'Sign-in failed',
  'signed-out': 'Signed out',
  'password-changed': 'Password changed',
  'password-reset': 'Password reset',
  'session-ended': 'Session ended',
  'sessions-ended': 'Sessions ended',
  'account-created': 'Account created',
  'account-changed': 'Account changed',
  'identity-linked': 'Identity linked',
  'link-permitted': 'Link to provider allowed or withdrawn',
  'token-created': 'Token created',
  'token-revoked': 'Token revoked',
  'tokens-revoked': 'Tokens revoked',
  'enrolment-token-created': 'Enrolment token created',
  'host-enrolled': 'Host enrolled',
  'host-caps-changed': 'Host’s caps changed',
  'host-draining-changed': 'Host’s draining changed',
  'host-credential-renewed': 'Host’s credential renewed',
  'host-removed': 'Host removed',
  'experiment-created': 'Experiment created',
  'experiment-changed': 'Experiment changed',
  'experiment-deleted': 'Experiment deleted',
  'config-test-started': 'Configuration test started',
  'calibration-started': 'Calibration started',
  'run-started': 'Run started',
  'run-paused': 'Run paused',
  'run-resumed': 'Run resumed',
  'run-finished-early': 'Run ended early',
  'run-cancelled': 'Run cancelled',
  'run-retried': 'Run retried',
  'run-imported': 'Run imported',
  'run-exported': 'Run exported',
  'run-deleted': 'Run deleted',
  'run-starred': 'Run starred',
  'run-unstarred': 'Star of a run removed',
  'run-tagged': 'Tags of a run changed',
  'note-added': 'Note added',
  'note-edited': 'Note edited',
  'note-deleted': 'Note deleted',
  'raw-data-removed': 'Raw data removed by the rule',
  'trial-skipped': 'Trial skipped',
  'window-chosen': 'Measured window chosen',
  'window-restored': 'Planned window restored',
  'share-created': 'Share created',
  'share-refreshed': 'Share refreshed',
  'share-revoked': 'Share revoked',
  'share-opened': 'Share opened',
  'channel-created': 'Notifications set up',
  'channel-changed': 'Notifications changed',
  'channel-removed': 'Notifications removed',
  'schedule-created': 'Schedule created',
  'schedule-changed': 'Schedule paused or resumed',
  'schedule-removed': 'Schedule removed',
  'settings-changed': 'Settings changed',
  'audit-exported': 'Audit log exported',
};

/** An act of a newer backend has no words here yet, and keeps its name. */
export function actWords(act: string): string {
  return (WORDS as Record<string, string>)[act] ?? act;
}

export const ACT_OPTIONS = Object.entries(WORDS).map(([value, label]) => ({ value, label }));

export function isAct(value: string): value is Act {
  return value in WORDS;
}
