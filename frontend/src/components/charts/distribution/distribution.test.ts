import { describe, expect, it } from 'vitest';
import { plain } from '@/test/plain';
import {
  alignDistributions,
  distributionWords,
  fractionOf,
  logTicks,
  ninesOf,
  percentileText,
} from './distribution';

describe('the axis of nines', () => {
  it('gives each further nine the same room', () => {
    expect(ninesOf(0.9)).toBeCloseTo(1);
    expect(ninesOf(0.999)).toBeCloseTo(3);
    expect(fractionOf(ninesOf(0.987))).toBeCloseTo(0.987);
  });

  it.each([
    [0.5, '50 %'],
    [0.987, '98.7 %'],
    [0.99, '99 %'],
    [0.9992, '99.92 %'],
  ])('%s reads %s', (fraction, text) => expect(percentileText(fraction)).toBe(text));
});

const fast = {
  label: 'fast',
  color: '',
  points: [
    { value_ms: 1, fraction: 0.5 },
    { value_ms: 2, fraction: 1 },
  ],
};
const slow = {
  label: 'slow',
  color: '',
  points: [
    { value_ms: 4, fraction: 0.5 },
    { value_ms: 16, fraction: 1 },
  ],
};

describe('alignDistributions', () => {
  it('spans all arms, rises, and ends where all responses are done', () => {
    const rows = alignDistributions([fast, slow]);
    expect(rows[0]?.value_ms).toBeCloseTo(1);
    expect(rows.at(-1)?.value_ms).toBeCloseTo(16);
    const known = rows.map((row) => row.nines[0]).filter((value) => value != null);
    expect(known).toEqual([...known].sort((a, b) => a - b));
    expect(rows.find((row) => row.value_ms > 2.1)?.nines[0]).toBeNull();
    expect(rows[0]?.nines[1]).toBe(0);
  });

  it('is empty where nothing was measured', () => expect(alignDistributions([])).toEqual([]));
});

describe('logTicks', () => {
  it('uses round values within the range', () => expect(logTicks(0.3, 15)).toEqual([0.5, 1, 2, 5, 10]));
  it('keeps to decades over a wide range', () => expect(logTicks(0.02, 900)).toEqual([0.1, 1, 10, 100]));
});

describe('distributionWords', () => {
  it('says what the curves show', () => {
    expect(plain(distributionWords([fast, { ...slow, points: [] }]))).toBe(
      'fast: 50 % within 1 ms, 90 % within 2 ms, 99 % within 2 ms, 99.9 % within 2 ms; slow: no responses',
    );
  });
});
