import type { RunDetail } from '@/api/generated';

/** What changes all the time while a run goes on. Which trial runs, and in which block, its trials say, too. */
const RESTLESS: ReadonlySet<string> = new Set<keyof RunDetail>([
  'server_time',
  'live_seq',
  'progress',
  'flags',
  'verdict_so_far',
]);

/** For `memo`, of what says of a run none of that: whether it would say the same. */
export function sameButForTime(
  { run: before }: { run: RunDetail },
  { run: now }: { run: RunDetail },
): boolean {
  const names = Object.keys(now) as (keyof RunDetail)[];
  return names.every((name) => RESTLESS.has(name) || before[name] === now[name]);
}
