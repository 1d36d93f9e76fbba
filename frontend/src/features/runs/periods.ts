const DAY_MS = 86_400_000;

export type Period = 'today' | 'week' | 'month' | 'last-month';

/** The first and the last day, as an address has them; the last is left out where it is today. */
export interface Days {
  since: string;
  until: string;
}

const day = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** The days (UTC) of a period that ends now, or of the calendar month before this one. */
export function daysOf(period: Period, now: number): Days {
  if (period === 'today') return { since: day(now), until: '' };
  if (period === 'week') return { since: day(now - 6 * DAY_MS), until: '' };
  if (period === 'month') return { since: day(now - 29 * DAY_MS), until: '' };
  const today = new Date(now);
  const [year, month] = [today.getUTCFullYear(), today.getUTCMonth()];
  return { since: day(Date.UTC(year, month - 1, 1)), until: day(Date.UTC(year, month, 0)) };
}

const PERIODS: readonly Period[] = ['today', 'week', 'month', 'last-month'];

/** The period of these days; none where somebody chose others. */
export function periodOf({ since, until }: Days, now: number): Period | null {
  return (
    PERIODS.find((period) => {
      const days = daysOf(period, now);
      return days.since === since && days.until === until;
    }) ?? null
  );
}
