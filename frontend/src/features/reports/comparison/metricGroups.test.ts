import { describe, expect, it } from 'vitest';
import type { MetricInfo, RunAnalysis } from '@/api/generated';
import { groupsOf } from './metricGroups';

const metric = (key: string, group: MetricInfo['group']): MetricInfo => ({
  key,
  group,
  title: key,
  unit: '',
  direction: 'neutral',
  scale: 'ratio',
});

describe('groups of metrics', () => {
  it('keep the order of the analysis, and open what the verdict is about', () => {
    const analysis = {
      metrics: [
        metric('rate', 'throughput'),
        metric('cv', 'balance'),
        metric('iowait', 'host'),
        metric('load1', 'host'),
      ],
      statements: [{ metric: 'cv' }],
    } as RunAnalysis;
    expect(groupsOf(analysis).map(({ key, metrics, first }) => [key, metrics.length, first])).toEqual([
      ['throughput', 1, true],
      ['balance', 1, true],
      ['host', 2, false],
    ]);
  });
});
