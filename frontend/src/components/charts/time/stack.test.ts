import { describe, expect, it } from 'vitest';
import { stackOf } from './paths';

describe('The edges of a stack', () => {
  it('go up from zero, part by part', () => {
    expect(stackOf([{ t: 0, values: [1, 2, 4] }])).toEqual([[0, 1, 3, 7]]);
  });

  it('take a part without a reading for nothing, and a row without any for a gap', () => {
    const rows = [
      { t: 0, values: [1, null] },
      { t: 1, values: [null, null] },
    ];
    expect(stackOf(rows)).toEqual([
      [0, 1, 1],
      [null, null, null],
    ]);
  });
});
