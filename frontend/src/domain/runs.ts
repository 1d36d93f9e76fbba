import type { RunDetail, RunHostOut } from '@/api/generated';

export const isOver = (run: Pick<RunDetail, 'finished_at'>) => run.finished_at !== null;

/** A run that somebody holds; the trial under way may still be finishing. */
export const isPaused = (run: Pick<RunDetail, 'finished_at' | 'paused_at'>) =>
  run.paused_at !== null && !isOver(run);

/** Each host once, with the parts that it plays, the target first: "vm (target, generator)". */
export function hostsWithSlots(hosts: readonly Pick<RunHostOut, 'name' | 'slot'>[]): string {
  const slots = new Map<string, string[]>();
  const inOrder = [...hosts].sort((a, b) => Number(b.slot === 'target') - Number(a.slot === 'target'));
  for (const { name, slot } of inOrder) slots.set(name, [...(slots.get(name) ?? []), slot]);
  return [...slots].map(([name, played]) => `${name} (${played.join(', ')})`).join(', ');
}
