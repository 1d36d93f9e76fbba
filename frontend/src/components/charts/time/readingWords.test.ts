import { describe, expect, it } from 'vitest';
import type { Point } from '@/domain/series';
import { plain } from '@/test/plain';
import { rangeWords, rowWords } from './readingWords';

const line = (label: string, ...values: (number | null)[]) => ({
  id: label,
  label,
  color: '',
  points: values.map((value, t): Point => [t, value]),
});

describe('rowWords', () => {
  it('says what the lines read, but not those behind them', () => {
    const lines = [line('off'), line('on'), { ...line('before'), faint: true }];
    expect(plain(rowWords({ t: 3, values: [990, null, 5] }, lines, 'requests/s'))).toBe(
      'at 3 s: off 990 req/s',
    );
    expect(plain(rowWords({ t: 3, values: [null, null, 5] }, lines, 'requests/s'))).toBe(
      'at 3 s: no reading',
    );
  });

  it('counts what would be too much to listen to', () => {
    const lines = Array.from({ length: 14 }, (_, index) => line(`cpu ${index}`));
    const words = rowWords({ t: 0, values: lines.map(() => 1) }, lines, '%');
    expect(plain(words)).toContain('cpu 11 1 % and 2 more');
  });
});

describe('rangeWords', () => {
  it('says between which values each line lies, all trials of an arm together', () => {
    const lines = [line('off', 900, null, 1020), line('off', 870), line('on', null)];
    expect(plain(rangeWords(lines, 'requests/s'))).toBe('off: 870 req/s to 1,020 req/s; on: no readings');
  });
});
