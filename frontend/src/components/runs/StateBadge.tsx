import { StateText, type Tone } from '@/components/ui/StateText';
import { nameOfState, type State } from '@/domain/states';

const TONES: Partial<Record<State, Tone>> = {
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
  conflict: 'danger',
  'no-redis': 'danger',
  upgrade: 'danger',
};

/** A state as a dot and a word. Only trouble is red; a finished run is not "good", it is finished. */
export function StateBadge({ state, title }: { state: State; title?: string }) {
  return (
    <StateText tone={TONES[state] ?? 'waiting'} title={title}>
      {nameOfState(state)}
    </StateText>
  );
}
