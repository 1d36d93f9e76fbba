import { t } from '@lingui/core/macro';
import { useState } from 'react';
import type { ScheduleCreate, Timing } from '@/api/generated';

type Repeats = Timing['repeats'];
type Weekday = NonNullable<Timing['weekdays']>[number];
export type End = 'never' | 'runs' | 'day';

export const weekdays = (): { value: Weekday; label: string }[] => [
  { value: 'mon', label: t`Mon` },
  { value: 'tue', label: t`Tue` },
  { value: 'wed', label: t`Wed` },
  { value: 'thu', label: t`Thu` },
  { value: 'fri', label: t`Fri` },
  { value: 'sat', label: t`Sat` },
  { value: 'sun', label: t`Sun` },
];

/** The reader's own zone first chosen, since that is the clock that they mean. */
export const ZONES = [...new Set(['UTC', ...Intl.supportedValuesOf('timeZone')])];
const HERE = Intl.DateTimeFormat().resolvedOptions().timeZone;

const FIRST = {
  repeats: 'daily' as Repeats,
  time: '02:00',
  zone: ZONES.includes(HERE) ? HERE : 'UTC',
  on: '',
  weekdays: ['mon'] as Weekday[],
  end: 'never' as End,
  mostRuns: 10 as number | string,
  lastDay: '',
};

export type Draft = typeof FIRST;

/** What the server is asked for; null while something is missing. */
function asked(draft: Draft): Omit<ScheduleCreate, 'run'> | null {
  const { repeats, time, zone, on, weekdays, end, mostRuns, lastDay } = draft;
  const isOnce = repeats === 'once';
  const missing = [!time, isOnce && !on, repeats === 'weekly' && weekdays.length === 0];
  const endless = isOnce || end === 'never';
  if (missing.some(Boolean) || (!endless && (end === 'runs' ? !mostRuns : !lastDay))) return null;
  return {
    timing: {
      repeats,
      time,
      zone,
      ...(isOnce ? { on } : {}),
      ...(repeats === 'weekly' ? { weekdays } : {}),
    },
    ...(!endless && end === 'runs' ? { most_runs: Number(mostRuns) } : {}),
    ...(!endless && end === 'day' ? { last_day: lastDay } : {}),
  };
}

/** When a new schedule is due, as it is being filled in. */
export function useTiming() {
  const [draft, setDraft] = useState(FIRST);
  const set = (changes: Partial<Draft>) => setDraft((current) => ({ ...current, ...changes }));
  return { draft, set, complete: asked(draft) };
}
