import type { HostDetail, RunState, TrialState } from '@/api/generated';
import classes from '@/components/ui/components.module.css';

/** A paused run is still `running` or `queued` to the backend. */
type State = RunState | TrialState | HostDetail['state'] | 'paused';

const TONES: Partial<Record<State, 'active' | 'done' | 'danger' | 'waiting'>> = {
  running: 'active',
  busy: 'active',
  measuring: 'active',
  warmup: 'active',
  preparing: 'active',
  ready: 'active',
  finishing: 'active',
  completed: 'done',
  idle: 'done',
  failed: 'danger',
  lost: 'danger',
  offline: 'danger',
};

/** A state as a dot and a word. Only trouble is red; a finished run is not "good", it is finished. */
export function StateBadge({ state, title }: { state: State; title?: string }) {
  return (
    <span className={classes.state} data-tone={TONES[state] ?? 'waiting'} title={title}>
      <span className={classes.stateDot} aria-hidden />
      {state}
    </span>
  );
}
