import type { Draft } from './draft/draft';

const MAX_STEPS = 200;
/** Typing goes back as one step until there is a pause of this length. */
const PAUSE_MS = 1000;

export interface History {
  past: readonly Draft[];
  present: Draft;
  future: readonly Draft[];
  /** What the last change was about; another change of the same soon after joins it. */
  group: string | null;
  at: number;
}

export type Action =
  | { type: 'change'; change: (draft: Draft) => Draft; group?: string; at: number }
  | { type: 'undo' }
  | { type: 'redo' };

export function historyOf(present: Draft): History {
  return { past: [], present, future: [], group: null, at: 0 };
}

function changed(history: History, action: Extract<Action, { type: 'change' }>): History {
  const present = action.change(history.present);
  if (present === history.present) return history;
  const group = action.group ?? null;
  const joins = group !== null && group === history.group && action.at - history.at < PAUSE_MS;
  const past = joins ? history.past : [...history.past, history.present].slice(-MAX_STEPS);
  return { past, present, future: [], group, at: action.at };
}

export function reduce(history: History, action: Action): History {
  const { past, present, future } = history;
  if (action.type === 'change') return changed(history, action);
  if (action.type === 'undo') {
    const previous = past.at(-1);
    if (!previous) return history;
    return { past: past.slice(0, -1), present: previous, future: [present, ...future], group: null, at: 0 };
  }
  const [next, ...later] = future;
  if (!next) return history;
  return { past: [...past, present], present: next, future: later, group: null, at: 0 };
}
