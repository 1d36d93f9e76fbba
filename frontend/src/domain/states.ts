import { t } from '@lingui/core/macro';
import type { HostDetail, RunState, TrialState } from '@/api/generated';

/** States of runs, trials and hosts. A paused run is still `running` or `queued` to the backend. */
export type State = RunState | TrialState | HostDetail['state'] | 'paused';

const names = (): Record<State, string> => ({
  queued: t`queued`,
  running: t`running`,
  paused: t`paused`,
  pending: t`pending`,
  dispatched: t`dispatched`,
  preparing: t`preparing`,
  ready: t`ready`,
  warmup: t`warmup`,
  measuring: t`measuring`,
  finishing: t`finishing`,
  completed: t`completed`,
  failed: t({ message: 'failed', context: 'state' }),
  cancelled: t`cancelled`,
  lost: t`lost`,
  skipped: t`skipped`,
  idle: t`idle`,
  busy: t`busy`,
  draining: t`draining`,
  upgrade: t({ message: 'upgrade', context: 'state' }),
  conflict: t`conflict`,
  'no-redis': t`no Redis`,
  'no-room': t`disk full`,
  offline: t`offline`,
});

export const nameOfState = (state: State): string => names()[state];
