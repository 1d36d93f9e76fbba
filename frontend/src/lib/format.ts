import { t } from '@lingui/core/macro';
import { type Language, perLanguage } from './language/language';

/**
 * Numbers as a report prints them. A missing value is an en dash, a minus is a minus. Both languages write them as the
 * server's own sentences beside them do: 1.234 and 1,234 must not mean two things on one page.
 */

const NONE = '–';
const NO_BREAK_SPACE = '\u00a0';
const TRAILING_ZEROS = /\.0+(?!\d)|(?<=\.\d*[1-9])0+(?!\d)/;

const WRITTEN_AS: Record<Language, string> = { en: 'en-US', 'zh-Hans': 'zh-Hans' };

const decimals = perLanguage((language) =>
  [0, 1, 2, 3, 4].map((digits) => {
    const options = { minimumFractionDigits: digits, maximumFractionDigits: digits };
    return new Intl.NumberFormat(WRITTEN_AS[language], options);
  }),
);
const significant = perLanguage((language) => ({
  2: new Intl.NumberFormat(WRITTEN_AS[language], { maximumSignificantDigits: 2 }),
  3: new Intl.NumberFormat(WRITTEN_AS[language], { maximumSignificantDigits: 3 }),
}));

const withMinus = (text: string) => text.replace('-', '−');

/** A number is never left alone at the end of a line. */
const withUnit = (number: string, unit: string) => (unit ? `${number}${NO_BREAK_SPACE}${unit}` : number);

function rounded(value: number, digits: 2 | 3): string {
  return withMinus(significant()[digits].format(value));
}

/** `digits` decimals, at most four. Formatters are kept: making one costs more than a hundred uses. */
function fixed(value: number, digits: number): string {
  return withMinus((decimals()[digits] as Intl.NumberFormat).format(value));
}

type Maybe = number | null | undefined;

const isKnown = (value: Maybe): value is number => value != null && Number.isFinite(value);

/** So many decimals that three digits are seen. */
function decimalsFor(value: number): number {
  if (Math.abs(value) >= 100) return 0;
  return Math.abs(value) >= 10 ? 1 : 2;
}

/** Three significant digits below 1000, whole numbers with separators above. */
export function formatNumber(value: Maybe): string {
  if (!isKnown(value)) return NONE;
  if (value === 0) return '0';
  if (Number.isInteger(value)) return fixed(value, 0);
  return Math.abs(value) >= 1 ? fixed(value, decimalsFor(value)) : rounded(value, 3);
}

/** What is below one percent is known to two digits at best: 0.013 %. */
function formatPercentage(value: number): string {
  return withUnit(Math.abs(value) < 1 && value !== 0 ? rounded(value, 2) : formatNumber(value), '%');
}

interface Scale {
  name: string;
  size: number;
}

const ascending = (base: number, ...names: string[]): Scale[] =>
  names.map((name, power) => ({ name, size: base ** power }));

const MICROSECONDS = ascending(1000, 'µs', 'ms', 's');
const SI = ascending(1000, '', 'k', 'M', 'G', 'T');
const BITS_PER_S = ascending(1000, 'bit/s', 'kbit/s', 'Mbit/s', 'Gbit/s', 'Tbit/s');
const BYTES = ascending(1024, 'B', 'KiB', 'MiB', 'GiB', 'TiB');
const BYTES_PER_S = BYTES.map(({ name, size }) => ({ name: `${name}/s`, size }));

/** The greatest of `scales`, which ascend, that is not above `value`; the first for smaller ones. */
function scaleFor(value: number, scales: readonly Scale[]): Scale {
  return scales.findLast(({ size }) => Math.abs(value) >= size) ?? (scales[0] as Scale);
}

function scaled(value: number, scales: readonly Scale[]): string {
  const { name, size } = scaleFor(value, scales);
  const isWhole = size === 1 && Number.isInteger(value);
  return withUnit(fixed(value / size, isWhole ? 0 : decimalsFor(value / size)), name);
}

/** Microseconds in the unit that reads best: 870 µs, 4.21 ms, 1.24 s. */
export function formatMicroseconds(us: Maybe): string {
  if (!isKnown(us)) return NONE;
  const { name, size } = scaleFor(us, MICROSECONDS);
  return withUnit(formatNumber(us / size), name);
}

export function formatBytes(bytes: Maybe): string {
  return bytes == null ? NONE : scaled(bytes, BYTES);
}

/** 42.9k: for axes and tight places. */
export function formatCompact(value: Maybe): string {
  if (!isKnown(value) || Math.abs(value) < 1000) return formatNumber(value);
  return scaled(value, SI).replace(NO_BREAK_SPACE, '');
}

/** A coefficient of variation, or a ratio near it: two decimals, so that columns compare. */
export function formatCoefficient(value: Maybe): string {
  return isKnown(value) ? fixed(value, 2) : NONE;
}

interface ScaledUnit {
  scales: readonly Scale[];
  /** How much of the scales' base one of it is. */
  factor: number;
  format: (value: number) => string;
}

const time = (factor: number): ScaledUnit => ({
  scales: MICROSECONDS,
  factor,
  format: (value) => formatMicroseconds(value * factor),
});
const amount = (scales: readonly Scale[]): ScaledUnit => ({
  scales,
  factor: 1,
  format: (value) => scaled(value, scales),
});

const SCALED: Record<string, ScaledUnit> = {
  us: time(1),
  µs: time(1),
  ms: time(1e3),
  s: time(1e6),
  bytes: amount(BYTES),
  'bytes/s': amount(BYTES_PER_S),
  'bit/s': amount(BITS_PER_S),
};

/** How values are written that say their unit themselves, or need none. */
function formatOf(unit: string): ((value: number) => string) | undefined {
  if (unit === 'CV') return formatCoefficient;
  return unit === '%' ? formatPercentage : SCALED[unit]?.format;
}

/** A measured value with its unit, e.g. "42,901 req/s", "4.21 ms", "734 Mbit/s". */
export function formatValue(value: Maybe, unit: string): string {
  if (!isKnown(value)) return NONE;
  const format = formatOf(unit);
  return format ? format(value) : withUnit(formatNumber(value), unit === 'requests/s' ? 'req/s' : unit);
}

export const range = (low: string, high: string) => t`${low} to ${high}`;

/** A value in a column: on the scale of the greatest of its `peers`, so that none is in µs beside one in ms. */
export function formatAmong(value: Maybe, peers: readonly Maybe[], unit: string): string {
  const known = SCALED[unit];
  if (!(known && isKnown(value))) return formatValue(value, unit);
  const { scales, factor } = known;
  const { name, size } = scaleFor(
    Math.max(...[value, ...peers.filter(isKnown)].map(Math.abs)) * factor,
    scales,
  );
  return withUnit(formatNumber((value * factor) / size), name);
}

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
export function formatReading(value: Maybe, unit: string): string {
  return formatOf(unit) ? formatValue(value, unit) : formatNumber(value);
}

/** The unit beside a chart: none where its ticks say it, on the scale that reads best. */
export function unitBeside(unit: string): string {
  return unit in SCALED ? '' : unit;
}

/** A tick of a y axis: short, and with the unit only where it scales with the value. */
export function formatTick(value: number, unit: string): string {
  if (value === 0) return '0';
  const text = formatOf(unit) ? formatValue(value, unit) : formatCompact(value);
  return text.replace(TRAILING_ZEROS, '').replaceAll(' ', NO_BREAK_SPACE);
}

/** A planned or elapsed time: "45 s", "3 min 20 s", "2 h 5 min". */
export function formatDuration(seconds: Maybe): string {
  if (!isKnown(seconds)) return NONE;
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
  const told = parts.slice(first, first + 2).filter(({ count }) => count > 0);
  return told.map(({ unit, count }) => withUnit(String(count), unit)).join(' ');
}

const MINUTES_FROM_S = 600;

/** Seconds relative to the start of an axis, as of the measured window: "−2 s", "7.5 s"; "12.5 min" from ten minutes on. */
export function formatOffset(seconds: number): string {
  if (Math.abs(seconds) >= MINUTES_FROM_S) return withUnit(formatNumber(seconds / 60), 'min');
  const digits = Number.isInteger(Math.round(seconds * 10) / 10) ? 0 : 1;
  return withUnit(fixed(seconds, digits).replace(/^[−-]0$/, '0'), 's');
}
