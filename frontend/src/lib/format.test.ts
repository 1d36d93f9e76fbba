import { describe, expect, it } from 'vitest';
import {
  formatAmong,
  formatBytes,
  formatCompact,
  formatDuration,
  formatInterval,
  formatMicroseconds,
  formatNumber,
  formatOffset,
  formatReading,
  formatTick,
  formatValue,
} from './format';

/** As they are written, with blanks at which no line ends. */
const glued = (text: string) => text.replace(/(?<=\d) (?=\p{L}|%)(?!to )/gu, '\u00a0');

describe('formatNumber', () => {
  it.each([
    [0, '0'],
    [42_901.4, '42,901'],
    [431.26, '431'],
    [43.126, '43.1'],
    [4.3126, '4.31'],
    [0.43126, '0.431'],
    [-1.5, '−1.50'],
    [7, '7'],
  ])('%s reads %s', (value, text) => expect(formatNumber(value)).toBe(text));

  it('never prints an unknown value as a number', () => {
    for (const unknown of [null, undefined, Number.NaN, Number.POSITIVE_INFINITY])
      expect(formatNumber(unknown)).toBe('–');
  });
});

describe('values with units', () => {
  it('a column has one unit', () => {
    expect(formatAmong(870, [870, 4210, null], 'us')).toBe(glued('0.87 ms'));
    expect(formatAmong(4210, [870, 4210], 'us')).toBe(glued('4.21 ms'));
    expect(formatAmong(870, [], 'us')).toBe(glued('870 µs'));
    expect(formatAmong(980, [980, 42_901], 'requests/s')).toBe(glued('980 req/s'));
    expect(formatAmong(null, [870], 'us')).toBe('–');
  });

  it('chooses the unit of time that reads best', () => {
    expect(formatMicroseconds(870)).toBe(glued('870 µs'));
    expect(formatMicroseconds(4210)).toBe(glued('4.21 ms'));
    expect(formatMicroseconds(1_240_000)).toBe(glued('1.24 s'));
    expect(formatValue(0.0231, 's')).toBe(glued('23.1 ms'));
    expect(formatValue(2.5, 'ms')).toBe(glued('2.50 ms'));
  });

  it('gives a small percentage no more than the two digits that count', () => {
    expect(formatValue(0.0127, '%')).toBe(glued('0.013 %'));
    expect(formatValue(0.5, '%')).toBe(glued('0.5 %'));
    expect(formatValue(0, '%')).toBe(glued('0 %'));
    expect(formatValue(2.5, '%')).toBe(glued('2.50 %'));
  });

  it('uses binary prefixes for memory and decimal ones for the network', () => {
    expect(formatBytes(24 * 2 ** 30)).toBe(glued('24.0 GiB'));
    expect(formatBytes(512)).toBe(glued('512 B'));
    expect(formatValue(734_000_000, 'bit/s')).toBe(glued('734 Mbit/s'));
  });

  it('keeps a unit it does not know', () =>
    expect(formatValue(80, 'connections')).toBe(glued('80 connections')));

  it('does not repeat a unit that the heading names', () => {
    expect(formatReading(80, 'connections')).toBe('80');
    expect(formatReading(12_345, 'requests/s')).toBe('12,345');
    expect(formatReading(2.5, 'ms')).toBe(glued('2.50 ms'));
  });

  it('writes ticks that cannot break into two lines', () => {
    expect(formatTick(45_000, 'requests/s')).toBe('45k');
    expect(formatTick(75e6, 'bit/s')).toBe('75\u00a0Mbit/s');
    expect(formatTick(1.5, 'ms')).toBe('1.5\u00a0ms');
    expect(formatTick(900e6, 'bit/s')).toBe('900\u00a0Mbit/s');
    expect(formatCompact(950)).toBe('950');
  });
});

describe('times', () => {
  it.each([
    [0, '0 s'],
    [2.5, '2.5 s'],
    [45, '45 s'],
    [195, '3 min 15 s'],
    [3600, '1 h'],
    [7500, '2 h 5 min'],
    [90_000, '1 d 1 h'],
  ])('%s s reads %s', (seconds, text) => expect(formatDuration(seconds)).toBe(glued(text)));

  it('marks the time before the measured window', () => {
    expect(formatOffset(-2)).toBe(glued('−2 s'));
    expect(formatOffset(-0.001)).toBe(glued('0 s'));
    expect(formatOffset(7.5)).toBe(glued('7.5 s'));
  });
});

describe('formatInterval', () => {
  it.each([
    [870, 1240, 'us', '0.87 to 1.24 ms'],
    [-0.4, 1.2, 's', '−0.4 to 1.20 s'],
    [512, 3 * 1024 ** 2, 'bytes', '0.000488 to 3 MiB'],
    [-3, 12, 'requests/s', '−3 to 12 req/s'],
    [0, 0, 'ms', '0 to 0 µs'],
  ])('%s to %s %s: one scale for both ends', (low, high, unit, text) => {
    expect(formatInterval(low, high, unit)).toBe(glued(text));
  });
});
