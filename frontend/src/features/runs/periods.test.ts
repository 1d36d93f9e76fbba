import { describe, expect, it } from 'vitest';
import { daysOf, periodOf } from './FilterBar';

const NEW_YEAR = Date.UTC(2026, 0, 3, 1);

describe('The days of a period', () => {
  it('end today', () => {
    expect(daysOf('today', NEW_YEAR)).toEqual({ since: '2026-01-03', until: '' });
    expect(daysOf('week', NEW_YEAR)).toEqual({ since: '2025-12-28', until: '' });
    expect(daysOf('month', NEW_YEAR)).toEqual({ since: '2025-12-05', until: '' });
  });

  it('are those of the calendar for the month before', () => {
    expect(daysOf('last-month', NEW_YEAR)).toEqual({ since: '2025-12-01', until: '2025-12-31' });
    expect(daysOf('last-month', Date.UTC(2024, 2, 31))).toEqual({ since: '2024-02-01', until: '2024-02-29' });
  });

  it('are known again, unless others were chosen', () => {
    expect(periodOf({ since: '2025-12-01', until: '2025-12-31' }, NEW_YEAR)).toBe('last-month');
    expect(periodOf({ since: '2025-12-01', until: '' }, NEW_YEAR)).toBeNull();
  });
});
