import { i18n, type MessageDescriptor } from '@lingui/core';
import { msg } from '@lingui/core/macro';
import type { Act } from '@/api/generated';

/** The names of acts, in the order of the filter. */
const WORDS: Record<Act, MessageDescriptor> = {
  'signed-in': msg({ message: 'Signed in', context: 'audit' }),
  'sign-in-failed': msg`Sign-in failed`,
  'signed-out': msg`Signed out`,
  'password-changed': msg`Password changed`,
  'password-reset': msg`Password reset`,
  'session-ended': msg`Session ended`,
  'sessions-ended': msg`Sessions ended`,
  'passkey-added': msg`Passkey added`,
  'passkey-removed': msg`Passkey removed`,
  'account-created': msg`Account created`,
  'account-changed': msg`Account changed`,
  'team-created': msg`Team created`,
  'team-changed': msg`Team changed`,
  'team-removed': msg`Team removed`,
  'identity-linked': msg`Identity linked`,
  'link-permitted': msg`Link to provider allowed or withdrawn`,
  'token-created': msg`Token created`,
  'token-revoked': msg`Token revoked`,
  'tokens-revoked': msg`Tokens revoked`,
  'enrolment-token-created': msg`Enrolment token created`,
  'host-enrolled': msg`Host enrolled`,
  'host-caps-changed': msg`Host’s caps changed`,
  'host-draining-changed': msg`Host’s draining changed`,
  'host-team-changed': msg`Team of a host changed`,
  'host-credential-renewed': msg`Host’s credential renewed`,
  'host-removed': msg`Host removed`,
  'host-history-deleted': msg`Host’s history deleted`,
  'experiment-created': msg`Experiment created`,
  'experiment-changed': msg`Experiment changed`,
  'experiment-deleted': msg`Experiment deleted`,
  'config-test-started': msg`Configuration test started`,
  'calibration-started': msg`Calibration started`,
  'rehearsal-ended': msg`Restored backup became the real installation`,
  'run-started': msg`Run started`,
  'run-paused': msg`Run paused`,
  'run-resumed': msg`Run resumed`,
  'blocks-added': msg`Blocks added to a run`,
  'run-profiled': msg`Profiles of a run asked for`,
  'run-finished-early': msg`Run ended early`,
  'run-cancelled': msg`Run cancelled`,
  'run-retried': msg`Run retried`,
  'run-imported': msg`Run imported`,
  'run-exported': msg`Run exported`,
  'run-deleted': msg`Run deleted`,
  'run-starred': msg`Run starred`,
  'run-unstarred': msg`Star of a run removed`,
  'run-tagged': msg`Tags of a run changed`,
  'note-added': msg`Note added`,
  'note-edited': msg`Note edited`,
  'note-deleted': msg`Note deleted`,
  'raw-data-removed': msg`Raw data removed by the rule`,
  'trial-skipped': msg`Trial skipped`,
  'window-chosen': msg`Measured window chosen`,
  'window-restored': msg`Planned window restored`,
  'share-created': msg`Share created`,
  'share-refreshed': msg`Share refreshed`,
  'share-revoked': msg`Share revoked`,
  'share-opened': msg`Share opened`,
  'channel-created': msg`Notifications set up`,
  'channel-changed': msg`Notifications changed`,
  'channel-removed': msg`Notifications removed`,
  'schedule-created': msg`Schedule created`,
  'schedule-changed': msg`Schedule paused or resumed`,
  'schedule-removed': msg`Schedule removed`,
  'settings-changed': msg`Settings changed`,
  'audit-exported': msg`Audit log exported`,
};

/** An act of a newer backend has no words here yet, and keeps its name. */
export function actWords(act: string): string {
  return isAct(act) ? i18n._(WORDS[act]) : act;
}

export const actOptions = () =>
  Object.entries(WORDS).map(([value, words]) => ({ value, label: i18n._(words) }));

export function isAct(value: string): value is Act {
  return value in WORDS;
}
