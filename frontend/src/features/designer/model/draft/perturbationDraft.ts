import { t } from '@lingui/core/macro';
import type { Perturbation } from '@/api/generated';
import { TARGET } from '@/domain/slots';
import { DEFAULTS } from '../../fields/declared';
import type { Typed } from './values';
import { uniqueKey } from './values';

type Kinds<T> = T extends { kind: string } ? Typed<T> : never;
export type DraftAction = Kinds<Perturbation['action']>;
export type DraftWhen = Kinds<Perturbation['when']>;
export type ActionKind = DraftAction['kind'];
export type WhenKind = DraftWhen['kind'];

export interface DraftPerturbation {
  key: string;
  slot: string;
  when: DraftWhen;
  action: DraftAction;
}

const ACTIONS: { [K in ActionKind]: Extract<DraftAction, { kind: K }> } = {
  reload: { kind: 'reload' },
  churn: { ...DEFAULTS.Churn, group: '' },
  sync: { kind: 'sync' },
  signal: { ...DEFAULTS.SignalNginx, signal: 'STOP' },
  http: DEFAULTS.HttpCall,
  'cpu-pressure': DEFAULTS.CpuPressure,
  'disk-pressure': DEFAULTS.DiskPressure,
};

const WHENS: { [K in WhenKind]: Extract<DraftWhen, { kind: K }> } = {
  once: { ...DEFAULTS.Once, at_s: 1 },
  every: { ...DEFAULTS.Every, every_s: 1 },
  during: DEFAULTS.During,
};

export const actionLabels = (): Record<ActionKind, string> => ({
  reload: t({ message: 'Reload', context: 'nginx' }),
  churn: t`Churn`,
  sync: 'sync',
  signal: t`Signal`,
  http: t`HTTP call`,
  'cpu-pressure': t`CPU pressure`,
  'disk-pressure': t`Disk pressure`,
});

export const whenLabels = (): Record<WhenKind, string> => ({
  once: t({ message: 'Once', context: 'perturbation' }),
  every: t({ message: 'Every …', context: 'perturbation' }),
  during: t({ message: 'During', context: 'perturbation' }),
});

/** Actions that go on for a while; the others take an instant. */
const lasts = (kind: ActionKind) => kind === 'cpu-pressure' || kind === 'disk-pressure';

/** The ways in which an action can be scheduled; the one it has now is always among them. */
export function whensOf({ action, when }: DraftPerturbation): WhenKind[] {
  const possible: WhenKind[] = lasts(action.kind) ? ['during'] : ['once', 'every'];
  return possible.includes(when.kind) ? possible : [...possible, when.kind];
}

export const blankPerturbation = (key: string): DraftPerturbation => ({
  key,
  slot: TARGET,
  when: WHENS.once,
  action: ACTIONS.reload,
});

export function toDraftPerturbation({ key, slot = TARGET, when, action }: Perturbation): DraftPerturbation {
  return {
    key,
    slot,
    when: { ...WHENS[when.kind], ...when } as DraftWhen,
    action: { ...ACTIONS[action.kind], ...action } as DraftAction,
  };
}

/** What is there for a perturbation to name: other keys that are taken, and groups that can be changed. */
export interface Surroundings {
  taken: readonly string[];
  groups: readonly string[];
}

/** Another action, scheduled in a way that it can be. A key that was named after the former action follows. */
export function withAction(
  one: DraftPerturbation,
  kind: ActionKind,
  { taken, groups }: Surroundings,
): DraftPerturbation {
  const action = kind === 'churn' ? { ...ACTIONS.churn, group: groups[0] ?? '' } : ACTIONS[kind];
  const named = one.key === uniqueKey(one.action.kind, taken);
  const key = named ? uniqueKey(kind, taken) : one.key;
  const fits = lasts(kind) === (one.when.kind === 'during');
  return { ...one, key, action, when: fits ? one.when : lasts(kind) ? WHENS.during : WHENS.once };
}

/** Another schedule that keeps the instant it begins at. */
export function withWhen(one: DraftPerturbation, kind: WhenKind): DraftPerturbation {
  if (one.when.kind === kind) return one;
  const begins = one.when.kind === 'once' ? one.when.at_s : one.when.from_s;
  const when = kind === 'once' ? { ...WHENS.once, at_s: begins } : { ...WHENS[kind], from_s: begins };
  return { ...one, when };
}
