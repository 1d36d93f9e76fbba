import { t } from '@lingui/core/macro';
import { formatDuration } from './format';
import { currentLanguage, type Language, perLanguage } from './language/language';

const DAY = { day: 'numeric', month: 'short', year: 'numeric' } as const;
const CLOCK = { hour: '2-digit', minute: '2-digit' } as const;

const WRITTEN_AS: Record<Language, string> = { en: 'en-GB', 'zh-Hans': 'zh-Hans' };

const dates = (options: Intl.DateTimeFormatOptions) =>
  perLanguage((language) => new Intl.DateTimeFormat(WRITTEN_AS[language], options));

const UNITS = [
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;
const unitFor = (seconds: number) => UNITS.find(([least]) => seconds >= least) ?? ([1, 'second'] as const);
const relative = perLanguage((language) => new Intl.RelativeTimeFormat(WRITTEN_AS[language]));

/** In the reader's zone, which it names: reports are read elsewhere than they are made. */
const absolute = dates({ ...DAY, ...CLOCK, second: '2-digit', timeZoneName: 'short' });
const clock = dates(CLOCK);
const day = dates(DAY);
const dayAndTime = dates({ day: 'numeric', month: 'short', ...CLOCK });

/** "5 Jan 2026", of an ISO time, or of milliseconds since 1970 as axes have them. */
export function formatDay(at: string | number): string {
  return day().format(new Date(at));
}

/** "5 Jan, 14:05", of milliseconds since 1970: for axes of a few days. */
export function formatDayAndTime(t: number): string {
  return dayAndTime().format(t);
}

/** "3 min ago", "in 2 h"; the date itself when it is more than a month away. */
export function formatRelative(iso: string, now = Date.now()): string {
  const seconds = (now - Date.parse(iso)) / 1000;
  const size = Math.abs(seconds);
  if (size < 5) return t`just now`;
  if (size > 30 * 86_400) return day().format(new Date(iso));
  const [step] = unitFor(size);
  const whole = seconds < 0 || step === 1 ? Math.round : Math.floor;
  const rounded = whole(size / step) * step; // one unit is enough
  if (currentLanguage() === 'zh-Hans') {
    const [one, unit] = unitFor(rounded); // it has no short signs of units
    return relative().format((seconds >= 0 ? -rounded : rounded) / one, unit);
  }
  const duration = formatDuration(rounded);
  return seconds >= 0 ? t`${duration} ago` : t`in ${duration}`;
}

export function formatDateTime(iso: string): string {
  return absolute().format(new Date(iso));
}

/** The hour at which something ends: "14:05", with the date where it is another day. */
export function formatFinish(date: Date, now = new Date()): string {
  const sameDay = date.toDateString() === now.toDateString();
  return sameDay ? clock().format(date) : `${clock().format(date)}, ${day().format(date)}`;
}
