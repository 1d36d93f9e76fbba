import { t } from '@lingui/core/macro';
import type { Perturbation } from '@/api/generated';
import { TARGET } from '@/domain/slots';
import { DEFAULTS } from '../../fields/declared';
import type { Typed } from './values';
import { uniqueKey } from './values';

export type DraftPerturbation = Typed<Perturbation>;
type DraftAction = DraftPerturbation['action'];
type DraftWhen = DraftPerturbation['when'];
export type ActionKind = DraftAction['kind'];
export type WhenKind = DraftWhen['kind'];

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

/** What actions are called, the section of the schema with what each has to be told, and what to know about it. */
export const describedActions = () =>
  ({
    reload: {
      label: t({ message: 'Reload', context: 'nginx' }),
      section: null,
      help: t`Ends when every worker process is new.`,
    },
    churn: {
      label: t`Churn`,
      section: 'Churn',
      help: t`Replaces the nodes of the group while nginx runs. Requires dynamic upstreams in nginx.`,
    },
    sync: { label: 'sync', section: null, help: t`Affects the whole host, so its owner must allow it.` },
    signal: { label: t`Signal`, section: 'SignalNginx', help: t`STOP is followed by CONT.` },
    http: { label: t`HTTP call`, section: 'HttpCall', help: t`Only to a role of this trial.` },
    'cpu-pressure': {
      label: t`CPU pressure`,
      section: 'CpuPressure',
      help: t`Runs busy processes on the whole host, so its owner must allow it.`,
    },
    'disk-pressure': {
      label: t`Disk pressure`,
      section: 'DiskPressure',
      help: t`Writes and syncs files in the trial's folder. The host's owner must allow it.`,
    },
  }) as const satisfies Record<ActionKind, object>;

export const describedWhens = () =>
  ({
    once: { label: t({ message: 'Once', context: 'perturbation' }), section: 'Once' },
    every: { label: t({ message: 'Every …', context: 'perturbation' }), section: 'Every' },
    during: { label: t({ message: 'During', context: 'perturbation' }), section: 'During' },
  }) as const satisfies Record<WhenKind, object>;

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

/** What is there for a perturbation to name: other keys that are taken, and groups that can be changed. */
interface Surroundings {
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
