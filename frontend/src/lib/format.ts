import { t } from '@lingui/core/macro';
import type { Language } from './language/language';
import { perLanguage } from './language/perLanguage';

/**
 * Numbers as a report prints them. A missing value is an en dash, a minus is a minus. Both languages write them as the
 * server's own sentences beside them do: 1.234 and 1,234 must not mean two things on one page.
 */

const NONE = '–';
const NO_BREAK_SPACE = '\u00a0';
const TRAILING_ZEROS = /\.0+(?!\d)|(?<=\.\d*[1-9])0+(?!\d)/;

const WRITTEN_AS: Record<Language, string> = { en: 'en-US', 'zh-Hans': 'zh-Hans' };

const decimals = perLanguage((language) =>
  Array.from(
    { length: 5 },
    (_, digits) =>
      new Intl.NumberFormat(WRITTEN_AS[language], {
        minimumFractionDigits: digits,
        maximumFractionDigits: digits,
      }),
  ),
);
const significant = perLanguage((language) =>
  [2, 3].map((digits) => new Intl.NumberFormat(WRITTEN_AS[language], { maximumSignificantDigits: digits })),
);

const withMinus = (text: string) => text.replace('-', '−');

/** A number is never left alone at the end of a line. */
const withUnit = (number: string, unit: string) => (unit ? `${number}${NO_BREAK_SPACE}${unit}` : number);

/** Two or three digits that count. */
function rounded(value: number, digits: 2 | 3): string {
  return withMinus((significant()[digits - 2] as Intl.NumberFormat).format(value));
}

/** `digits` decimals, at most four. Formatters are kept: making one costs more than a hundred uses. */
function fixed(value: number, digits: number): string {
  return withMinus((decimals()[digits] as Intl.NumberFormat).format(value));
}

/** Three significant digits below 1000, whole numbers with separators above. */
export function formatNumber(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const size = Math.abs(value);
  if (size === 0) return '0';
  if (Number.isInteger(value) || size >= 1000) return fixed(value, 0);
  if (size >= 100) return fixed(value, 0);
  if (size >= 10) return fixed(value, 1);
  if (size >= 1) return fixed(value, 2);
  return rounded(value, 3);
}

/** What is below one percent is known to two digits at best: 0.013 %. */
function formatPercentage(value: number): string {
  return withUnit(Math.abs(value) < 1 && value !== 0 ? rounded(value, 2) : formatNumber(value), '%');
}

function scaled(value: number, base: number, prefixes: readonly string[]): string {
  const size = Math.abs(value);
  const power = size < base ? 0 : Math.min(prefixes.length - 1, Math.floor(Math.log(size) / Math.log(base)));
  const mantissa = value / base ** power;
  const digits =
    power === 0 && Number.isInteger(value)
      ? 0
      : Math.abs(mantissa) >= 100
        ? 0
        : Math.abs(mantissa) >= 10
          ? 1
          : 2;
  return withUnit(fixed(mantissa, digits), prefixes[power] as string);
}

const SI = ['', 'k', 'M', 'G', 'T'] as const;
const BITS_PER_S = ['bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s'] as const;
const BINARY = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

interface Scale {
  name: string;
  /** Its size in base units. */
  size: number;
}

const MICROSECONDS: readonly Scale[] = [
  { name: 'µs', size: 1 },
  { name: 'ms', size: 1e3 },
  { name: 's', size: 1e6 },
];

/** The greatest of `scales`, which ascend, that is not above `value`; the first for smaller ones. */
function scaleFor(value: number, scales: readonly Scale[]): Scale {
  return scales.findLast(({ size }) => Math.abs(value) >= size) ?? (scales[0] as Scale);
}

/** Microseconds in the unit that reads best: 870 µs, 4.21 ms, 1.24 s. */
export function formatMicroseconds(us: number | null | undefined): string {
  if (us === null || us === undefined || !Number.isFinite(us)) return NONE;
  const { name, size } = scaleFor(us, MICROSECONDS);
  return withUnit(formatNumber(us / size), name);
}

export function formatBytes(bytes: number | null | undefined): string {
  return bytes === null || bytes === undefined ? NONE : scaled(bytes, 1024, BINARY);
}

/** 42.9k: for axes and tight places. */
export function formatCompact(value: number | null | undefined): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  return Math.abs(value) >= 1000 ? scaled(value, 1000, SI).replace(NO_BREAK_SPACE, '') : formatNumber(value);
}

type UnitFormatter = (value: number) => string;

const UNITS: Record<string, UnitFormatter> = {
  'requests/s': (value) => withUnit(formatNumber(value), 'req/s'),
  us: formatMicroseconds,
  µs: formatMicroseconds,
  ms: (value) => formatMicroseconds(value * 1000),
  s: (value) => formatMicroseconds(value * 1e6),
  CV: formatCoefficient,
  '%': formatPercentage,
  bytes: formatBytes,
  'bytes/s': (value) => `${formatBytes(value)}/s`,
  'bit/s': (value) => scaled(value, 1000, BITS_PER_S),
};

/** A measured value with its unit, e.g. "42,901 req/s", "4.21 ms", "734 Mbit/s". */
export function formatValue(value: number | null | undefined, unit: string): string {
  if (value === null || value === undefined || !Number.isFinite(value)) return NONE;
  const known = UNITS[unit];
  if (known) return known(value);
  return withUnit(formatNumber(value), unit);
}

const ascending = (names: readonly string[], base: number): Scale[] =>
  names.map((name, power) => ({ name, size: base ** power }));

/** Units that are shown on several scales, and how much of the scales' base one of each is. */
const SCALED: Record<string, { scales: readonly Scale[]; factor: number }> = {
  us: { scales: MICROSECONDS, factor: 1 },
  µs: { scales: MICROSECONDS, factor: 1 },
  ms: { scales: MICROSECONDS, factor: 1e3 },
  s: { scales: MICROSECONDS, factor: 1e6 },
  bytes: { scales: ascending(BINARY, 1024), factor: 1 },
  'bytes/s': {
    scales: ascending(
      BINARY.map((name) => `${name}/s`),
      1024,
    ),
    factor: 1,
  },
  'bit/s': { scales: ascending(BITS_PER_S, 1000), factor: 1 },
};

/** An interval of two formatted numbers. */
export const range = (low: string, high: string) => t`${low} to ${high}`;

/** Both ends of an interval on one scale, that of the end further from zero: "0.87 to 1.24 ms". */
export function formatInterval(low: number, high: number, unit: string): string {
  const known = SCALED[unit];
  if (!known) return range(formatNumber(low), formatValue(high, unit));
  const { scales, factor } = known;
  const { name, size } = scaleFor(Math.max(Math.abs(low), Math.abs(high)) * factor, scales);
  const [from, to] = [low, high].map((end) => formatNumber((end * factor) / size));
  return range(from as string, withUnit(to as string, name));
}

/** A value under a heading that already names its unit: only units that scale with the value are repeated. */
export function formatReading(value: number | null | undefined, unit: string): string {
  return unit === 'requests/s' || !UNITS[unit] ? formatNumber(value) : formatValue(value, unit);
}

/** A coefficient of variation, or a ratio near it: two decimals, so that columns compare. */
export function formatCoefficient(value: number | null | undefined): string {
  return value === null || value === undefined || !Number.isFinite(value) ? NONE : fixed(value, 2);
}

/** The unit beside a chart: none where its ticks say it, on the scale that reads best. */
export function unitBeside(unit: string): string {
  return unit in SCALED ? '' : unit;
}

/** A tick of a y axis: short, and with the unit only where it scales with the value. */
export function formatTick(value: number, unit: string): string {
  if (value === 0) return '0';
  const text = unit === 'requests/s' || !UNITS[unit] ? formatCompact(value) : formatValue(value, unit);
  return text.replace(TRAILING_ZEROS, '').replaceAll(' ', NO_BREAK_SPACE);
}

/** A planned or elapsed time: "45 s", "3 min 20 s", "2 h 5 min". */
export function formatDuration(seconds: number | null | undefined): string {
  if (seconds === null || seconds === undefined || !Number.isFinite(seconds)) return NONE;
  const total = Math.max(0, seconds);
  if (total < 10 && !Number.isInteger(total)) return withUnit(total.toFixed(1), 's');
  const whole = Math.round(total);
  const parts = [
    { unit: 'd', count: Math.floor(whole / 86_400) },
    { unit: 'h', count: Math.floor((whole % 86_400) / 3600) },
    { unit: 'min', count: Math.floor((whole % 3600) / 60) },
    { unit: 's', count: whole % 60 },
  ];
  const first = parts.findIndex(({ count }) => count > 0);
  if (first === -1) return withUnit('0', 's');
  return parts
    .slice(first, first + 2)
    .filter(({ count }) => count > 0)
    .map(({ unit, count }) => withUnit(String(count), unit))
    .join(' ');
}

const MINUTES_FROM_S = 600;

/** Seconds relative to the start of an axis, as of the measured window: "−2 s", "7.5 s"; "12.5 min" from ten minutes on. */
export function formatOffset(seconds: number): string {
  if (Math.abs(seconds) >= MINUTES_FROM_S) return withUnit(formatNumber(seconds / 60), 'min');
  const digits = Number.isInteger(Math.round(seconds * 10) / 10) ? 0 : 1;
  return withUnit(fixed(seconds, digits).replace(/^[−-]0$/, '0'), 's');
}

export function formatPercent(fraction: number, digits = 0): string {
  return withUnit(fixed(fraction * 100, digits), '%');
}
