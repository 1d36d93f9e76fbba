import { t } from '@lingui/core/macro';
import { formatOffset, formatValue } from '@/lib/format';
import type { Line, Look, Row } from './align';

const MOST_LINES = 12;

/** "at 3 s: off 990 req/s, on 1,020 req/s": what the subject's lines read at one instant. */
export function rowWords({ t: at, values }: Row, lines: readonly Look[], unit: string): string {
  const read = lines.flatMap(({ label, faint }, index) => {
    const value = values[index];
    return faint || value == null ? [] : [`${label} ${formatValue(value, unit)}`];
  });
  const time = formatOffset(at);
  const said = read.slice(0, MOST_LINES).join(', ') || t`no reading`;
  const more = read.length - MOST_LINES;
  return more > 0 ? t`at ${time}: ${said} and ${more} more` : t`at ${time}: ${said}`;
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
      if (values.length === 0) return `${label}: ${t`no readings`}`;
      const [least, most] = values.reduce<[number, number]>(
        ([below, above], value) => [Math.min(below, value), Math.max(above, value)],
        [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
      );
      const [low, high] = [formatValue(least, unit), formatValue(most, unit)];
      return `${label}: ${t`${low} to ${high}`}`;
    })
    .join('; ');
}
