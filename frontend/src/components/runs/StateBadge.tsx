import { StateText, type Tone } from '@/components/ui/StateText';
import { nameOfState, type State } from '@/domain/states';

const STATES: Record<Exclude<Tone, 'waiting'>, readonly State[]> = {
  active: ['running', 'busy', 'measuring', 'warmup', 'preparing', 'ready', 'finishing'],
  done: ['completed', 'idle'],
  danger: ['failed', 'lost', 'offline', 'conflict', 'no-redis', 'no-room', 'upgrade'],
};

function toneOf(state: State): Tone {
  const [tone] = Object.entries(STATES).find(([, states]) => states.includes(state)) ?? ['waiting'];
  return tone as Tone;
}

/** A state as a dot and a word. Only trouble is red; a finished run is not "good", it is finished. */
export function StateBadge({ state, title }: { state: State; title?: string }) {
  return (
    <StateText tone={toneOf(state)} title={title}>
      {nameOfState(state)}
    </StateText>
  );
}
