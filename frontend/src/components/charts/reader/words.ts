import { formatOffset, formatValue } from '@/lib/format';
import type { Line, Look, Row } from '../time/align';

const MOST_LINES = 12;

/** "at 3 s: off 990 req/s, on 1,020 req/s": what the subject's lines read at one instant. */
export function rowWords({ t, values }: Row, lines: readonly Look[], unit: string): string {
  const read = lines.flatMap(({ label, faint }, index) => {
    const value = values[index];
    return faint || value == null ? [] : [`${label} ${formatValue(value, unit)}`];
  });
  const more = read.length > MOST_LINES ? ` and ${read.length - MOST_LINES} more` : '';
  return `at ${formatOffset(t)}: ${read.slice(0, MOST_LINES).join(', ') || 'no reading'}${more}`;
}

/** "off: 900 to 1,020 req/s; on: …": between which values each line of a chart lies. */
export function rangeWords(lines: readonly Line[], unit: string): string {
  const byLabel = new Map<string, number[]>();
  for (const { label, points } of lines) {
    const values = points.flatMap(([, value]) => (value === null ? [] : [value]));
    byLabel.set(label, [...(byLabel.get(label) ?? []), ...values]);
  }
  return [...byLabel]
    .map(([label, values]) => {
      const [low, high] = values.reduce<[number, number]>(
        ([least, most], value) => [Math.min(least, value), Math.max(most, value)],
        [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      );
      return `${label}: ${values.length > 0 ? `${formatValue(low, unit)} to ${formatValue(high, unit)}` : 'no readings'}`;
    })
    .join('; ');
}
