import { t } from '@lingui/core/macro';
import type { ActionMark, ActionsSummary } from '@/api/generated';
import { formatMicroseconds } from '@/lib/format';

/** Actions of perturbations, for charts' marks and the tables under them. */

const idOf = ({ host, perturbation, number }: ActionMark) => `${host}\u0000${perturbation}\u0000${number}`;

/** Each action once, in order of time. An end is never forgotten for a beginning that was told again. */
export function mergeActions(known: readonly ActionMark[], incoming: readonly ActionMark[]): ActionMark[] {
  const found = new Map(known.map((mark) => [idOf(mark), mark]));
  for (const mark of incoming) {
    const before = found.get(idOf(mark));
    if (before?.ended_s == null || mark.ended_s !== null) found.set(idOf(mark), mark);
  }
  return [...found.values()].sort((a, b) => a.t_s - b.t_s);
}

export type Outcome = 'done' | 'failed' | 'skipped';

export function outcomeOf({ ok, skipped }: Pick<ActionMark, 'ok' | 'skipped'>): Outcome {
  if (skipped) return 'skipped';
  return ok ? 'done' : 'failed';
}

const secondsOf = ({ t_s, ended_s }: ActionMark) => (ended_s === null ? null : ended_s - t_s);

/** "churn 3 failed after 1.2 s: HTTP 409, busy". */
export function describeAction(mark: ActionMark): string {
  const { perturbation, number, status, detail } = mark;
  const took = secondsOf(mark);
  const name = `${perturbation} ${number}`;
  if (mark.skipped) return t`${name} skipped: the previous one was still running`;
  if (took === null) return t`${name} is still running`;
  const time = formatMicroseconds(took * 1e6);
  if (mark.ok) return t`${name} took ${time}`;
  const said = [status === null ? '' : `HTTP ${status}`, detail].filter(Boolean).join(', ');
  return said ? t`${name} failed after ${time}: ${said}` : t`${name} failed after ${time}`;
}

/** Marks by perturbation and host, in the order they first acted. */
export function byPerturbation(actions: readonly ActionMark[]): ActionMark[][] {
  const found = new Map<string, ActionMark[]>();
  for (const mark of actions) {
    const key = `${mark.host}\u0000${mark.perturbation}`;
    found.set(key, [...(found.get(key) ?? []), mark]);
  }
  return [...found.values()];
}

/** The same figures that the backend gives of a finished trial, from the marks known so far. */
export function summarize(actions: readonly ActionMark[]): ActionsSummary[] {
  return byPerturbation(actions).flatMap((marks) => {
    const [first] = marks;
    if (!first) return [];
    const took = marks.filter(({ skipped }) => !skipped).flatMap((mark) => secondsOf(mark) ?? []);
    return {
      perturbation: first.perturbation,
      action: first.action,
      host: first.host,
      count: marks.length,
      failed: marks.filter((mark) => outcomeOf(mark) === 'failed').length,
      skipped: marks.filter((mark) => mark.skipped).length,
      mean_s: took.length > 0 ? took.reduce((sum, seconds) => sum + seconds, 0) / took.length : null,
      max_s: took.length > 0 ? Math.max(...took) : null,
    };
  });
}
