import { t } from '@lingui/core/macro';
import { formatOffset, formatValue } from '@/lib/format';
import type { Heat } from './heat';

export interface Cell {
  row: number;
  column: number;
}

/** "CPU 1 at 3.5 s: 87 %". */
export function cellText(heat: Heat, { row, column }: Cell, unit: string): string {
  const value = heat.values[row]?.[column] ?? null;
  const what = value === null ? t`no reading` : formatValue(value, unit);
  const name = heat.rows[row] ?? '';
  const time = formatOffset(heat.times[column] ?? 0);
  return t`${name} at ${time}: ${what}`;
}

/** What a map of rows of one kind says in words: which of them had most and least in the measured window. */
export function summaryOf({ rows, times, values }: Heat, unit: string, measureS: number): string {
  const means = rows.flatMap((name, row) => {
    const measured = (values[row] ?? []).filter(
      (value, column) => value !== null && (times[column] ?? 0) >= 0 && (times[column] ?? 0) <= measureS,
    );
    const sum = measured.reduce((total: number, value) => total + (value ?? 0), 0);
    return measured.length > 0 ? [{ name, mean: sum / measured.length }] : [];
  });
  const [most] = means.toSorted((a, b) => b.mean - a.mean);
  const [least] = means.toSorted((a, b) => a.mean - b.mean);
  if (!most || !least) return t`No readings in the measured window.`;
  const [highest, lowest] = [formatValue(most.mean, unit), formatValue(least.mean, unit)];
  const [top, bottom] = [most.name, least.name];
  return t`On average most: ${top}, ${highest}; least: ${bottom}, ${lowest}.`;
}
