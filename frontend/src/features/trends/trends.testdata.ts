import type { TrendLine, TrendPoint, TrendRun, Trends } from '@/api/generated';

export function aTrendRun(number: number, changes: Partial<TrendRun> = {}): TrendRun {
  return {
    id: `run-${number}`,
    number,
    at: `2026-01-0${number}T03:04:05Z`,
    version: 1,
    note: null,
    nginx: 'nginx/1.22.1 (sha256 0123456789ab)',
    host: 'alpha',
    kernel: '6.1.0',
    before: number > 1 ? `run-${number - 1}` : null,
    changes: [],
    notes: 0,
    ...changes,
  };
}

export const aPoint = (run: number, mean: number): TrendPoint => ({
  run,
  mean,
  low: mean - 10,
  high: mean + 10,
  trials: 3,
  missing: null,
  stretch: 0,
});

export function aLine(changes: Partial<TrendLine> = {}): TrendLine {
  return {
    arm: 'reuseport',
    label: 'reuseport',
    points: [
      aPoint(1, 1000),
      { run: 2, mean: null, low: null, high: null, trials: 0, missing: 'not valid: errors', stretch: 0 },
      aPoint(3, 1300),
    ],
    breaks: [],
    change_points: [],
    none_because: 'too few runs: 2 that can be compared; 6 are needed',
    ...changes,
  };
}

/** Three runs, the last of them with another nginx; a fourth is not drawn. */
export function someTrends(changes: Partial<Trends> = {}): Trends {
  const nginx = { what: 'nginx' as const, text: 'nginx/1.22.1 → nginx/1.24.0' };
  return {
    experiment_id: 'experiment-1',
    experiment_name: 'Socket sharding',
    finished: 4,
    runs: [aTrendRun(1), aTrendRun(2), aTrendRun(3, { changes: [nginx] })],
    left_out: [
      { id: 'run-4', number: 4, at: '2026-01-04T03:04:05Z', reason: 'it was cancelled', is_pending: false },
    ],
    metrics: [
      {
        name: 'requests_per_s',
        info: {
          key: 'requests_per_s',
          title: 'Requests/s',
          unit: 'requests/s',
          direction: 'more_is_better',
          scale: 'ratio',
          group: 'throughput',
        },
        stream: null,
        lines: [aLine(), aLine({ arm: 'mutex-on', label: 'mutex on', points: [aPoint(1, 900)] })],
      },
    ],
    latest: {
      run: 3,
      sign: 'yes',
      word: 'Yes: better in 1 of 2',
      statements: [
        {
          metric: 'requests_per_s',
          arm: 'reuseport',
          verdict: 'better',
          text: 'Better: `reuseport` is +30 %',
        },
        { metric: 'requests_per_s', arm: 'mutex-on', verdict: null, text: 'No comparison: no such arm' },
      ],
    },
    notes: ['Runs share no blocks.'],
    ...changes,
  };
}
