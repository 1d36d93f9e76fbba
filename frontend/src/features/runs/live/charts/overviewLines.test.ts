import { describe, expect, it } from 'vitest';
import { CHARTS, type ChartDefinition } from '@/components/charts/series/definitions';
import type { TrialSource } from '@/components/charts/series/lines';
import { alignLines } from '@/components/charts/time/align';
import type { Point } from '@/domain/series';
import { aRun, aTrial } from '@/test/fixtures';
import {
  mayBePlaced,
  overlaidLines,
  runDomain,
  runLines,
  runMarks,
  trialsSoFar,
  windowStarts,
  withAllArms,
} from './overviewLines';

const RATE = CHARTS.find(({ key }) => key === 'requests_per_s') as ChartDefinition;
const at = (second: number) => `2026-01-02T03:04:${String(second).padStart(2, '0')}Z`;

function source(trialId: string, arm: number, points: Point[], label = 'wrk'): TrialSource {
  const series = [{ key: RATE.key, label, unit: 'requests/s', points }];
  return { trialId, armIndex: arm, armLabel: `arm ${arm}`, series, actions: [] };
}
const flat = (value: number): Point[] => [-1, 0, 1, 2].map((t) => [t, value]);

describe('trials of an overview', () => {
  const done = (position: number) => aTrial(position, { state: 'completed', started_at: at(position) });
  it('are those completed and the one under way, in the order in which they ran', () => {
    const trials = [
      done(0),
      aTrial(1, { state: 'failed', started_at: at(1) }),
      aTrial(2, { state: 'measuring', started_at: at(2) }),
      aTrial(3),
    ];
    const run = aRun({ trials, progress: { ...aRun().progress, current_trial_id: 'trial-3' } });
    expect(trialsSoFar(run, 'run').drawn.map(({ id }) => id)).toEqual(['trial-1', 'trial-3']);
  });

  it('are the latest where there are too many, and say how many were left out', () => {
    const trials = Array.from({ length: 30 }, (_, position) => done(position));
    const { drawn, left } = trialsSoFar(aRun({ trials }), 'arms');
    expect(drawn.at(-1)?.id).toBe('trial-30');
    expect(drawn.length + left).toBe(30);
    expect(left).toBeGreaterThan(0);
    expect(trialsSoFar(aRun({ trials }), 'run').left).toBe(0);
  });

  it('stand where their measured windows began', () => {
    const starts = windowStarts([aTrial(0, { started_at: at(10) }), aTrial(1, { started_at: at(16) })], 2);
    expect([...starts]).toEqual([
      ['trial-1', 2],
      ['trial-2', 8],
    ]);
  });
});

describe('the places of charts', () => {
  const known = CHARTS.filter(({ key }) => key === 'requests_per_s' || key === 'cpu_share');
  const cpu = (points: Point[]): TrialSource => ({
    ...source('a1', 0, []),
    series: [{ key: 'cpu_share', label: 'user', unit: '%', points }],
  });
  const placed = (sources: TrialSource[], hasCompleted = false) =>
    mayBePlaced(known, sources, { hasCompleted, loadS: -1 });
  const before: Point[] = [-9, -8, -7, -6, -5, -4, -3, -2].map((t) => [t, 1]);

  it('wait for those that always count, but not for ever', () => {
    expect(placed([])).toBe(false);
    expect(placed([cpu(before)])).toBe(false);
    expect(placed([cpu([...before, ...flat(1)])])).toBe(false);
    expect(placed([cpu(flat(1)), source('b1', 1, flat(1))])).toBe(true);
    expect(placed([cpu([0, 1, 2, 3, 4, 5].map((t) => [t, 1]))])).toBe(true);
    expect(placed([cpu(before)], true)).toBe(true);
    expect(placed([], true)).toBe(false);
  });

  it('have each arm in their legends, also before its first trial', () => {
    const all = withAllArms([source('b1', 1, flat(1))], aRun());
    expect(overlaidLines(RATE, 'wrk', all).map(({ label }) => label)).toEqual([
      aRun().arms[0]?.label,
      'arm 1',
    ]);
  });
});

describe('the whole run', () => {
  const sources = [source('a1', 0, flat(10)), source('b1', 1, flat(20)), source('a2', 0, flat(30))];
  const starts = new Map([
    ['a1', 1],
    ['b1', 6],
    ['a2', 11],
  ]);

  it('is one line an arm, interrupted between its trials', () => {
    const lines = runLines(RATE, 'wrk', sources, starts);
    expect(lines.map(({ label }) => label)).toEqual(['arm 0', 'arm 1']);
    const rows = alignLines(lines);
    const value = (t: number, line: number) => rows.find((row) => row.t === t)?.values[line];
    expect([value(1, 0), value(7, 0), value(12, 0)]).toEqual([10, null, 30]);
    expect([value(1, 1), value(7, 1)]).toEqual([null, 20]);
  });

  it('moves marks with their trials', () => {
    const mark = {
      perturbation: 'reload',
      action: 'reload',
      number: 1,
      t_s: 1,
      ended_s: 1.5,
      ok: true,
      skipped: false,
      status: null,
      detail: '',
      host: 'h',
    };
    const marked = { ...source('b1', 1, flat(20)), actions: [mark, { ...mark, ended_s: null }] };
    expect(runMarks([marked], starts).map(({ t_s, ended_s }) => [t_s, ended_s])).toEqual([
      [7, 7.5],
      [7, null],
    ]);
  });

  it('has an axis that ends with the run, and stands still while it goes on', () => {
    expect(runDomain(47, true)).toEqual([0, 47]);
    expect(runDomain(43, false)).toEqual(runDomain(47, false));
  });
});

describe('arms overlaid', () => {
  it('show the latest trial of each arm in full and name each arm once', () => {
    const sources = [source('a1', 0, flat(1)), source('b1', 1, flat(2)), source('a2', 0, flat(3))];
    const lines = overlaidLines(RATE, 'wrk', sources);
    expect(lines.map(({ id, faint }) => [id, Boolean(faint)])).toEqual([
      ['a1', true],
      ['a2', false],
      ['b1', false],
    ]);
    expect(lines.filter(({ unnamed }) => !unnamed).map(({ label }) => label)).toEqual(['arm 0', 'arm 1']);
  });
});
