import { describe, expect, it } from 'vitest';
import type { ActionMark } from '@/api/generated';
import { marksAt, placeMarks } from './MarkLayer';

const mark = (t_s: number, part: Partial<ActionMark> = {}): ActionMark => ({
  perturbation: 'p',
  action: 'sync',
  number: Math.round(t_s * 100),
  t_s,
  ended_s: t_s + 0.01,
  ok: true,
  skipped: false,
  status: null,
  detail: '',
  host: 'h',
  ...part,
});
const AXIS = [0, 100] as const;

describe('placed marks', () => {
  it('are ticks for instants and bands for what lasts, cut at the ends of the axis', () => {
    const { ticks, bands } = placeMarks([mark(5), mark(90, { ended_s: null }), mark(200)], AXIS);
    expect(ticks).toEqual([{ t: 5, outcome: 'done' }]);
    expect(bands).toEqual([{ from: 90, to: 100, outcome: 'done' }]);
  });

  it('are one where pixels are one, and show what went wrong there', () => {
    const many = Array.from({ length: 5000 }, (_, index) => mark(index / 50, { ok: index !== 2500 }));
    const { ticks, opacity } = placeMarks(many, AXIS);
    expect(ticks.length).toBeLessThanOrEqual(121);
    expect(ticks.filter(({ outcome }) => outcome === 'failed')).toHaveLength(1);
    expect(opacity).toBeLessThan(placeMarks([mark(1)], AXIS).opacity);
  });

  it('tell a skipped action from a failed one', () => {
    const { ticks } = placeMarks([mark(10, { ok: false, skipped: true }), mark(50, { ok: false })], AXIS);
    expect(ticks.map(({ outcome }) => outcome)).toEqual(['skipped', 'failed']);
  });
});

it('finds what happened at the crosshair', () => {
  const marks = [mark(10), mark(40, { ended_s: 60 }), mark(90)];
  expect(marksAt(marks, 10.5, AXIS)).toEqual([marks[0]]);
  expect(marksAt(marks, 55, AXIS)).toEqual([marks[1]]);
  expect(marksAt(marks, 75, AXIS)).toEqual([]);
});
