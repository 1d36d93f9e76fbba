import { describe, expect, it } from 'vitest';
import { CHARTS, type ChartDefinition, comparedLabels, essentialLabels, orderedLabels } from './definitions';
import { labelLines } from './lines';

const latency = CHARTS.find(({ key }) => key === 'latency_ms') as ChartDefinition;
const two = ['probe p99', 'main p50', 'probe p50', 'main p90', 'main p99'];

describe('labels of a chart', () => {
  it('stand by stream, then by percentile', () => {
    expect(orderedLabels(latency, two)).toEqual([
      'main p50',
      'main p90',
      'main p99',
      'probe p50',
      'probe p99',
    ]);
    expect(orderedLabels(latency, ['p99', 'p50'])).toEqual(['p50', 'p99']);
  });

  it('are fewer where several streams share a chart', () => {
    expect(essentialLabels(latency, two)).not.toContain('main p90');
    expect(essentialLabels(latency, ['p50', 'p90'])).toEqual(['p50', 'p90']);
  });

  it('are compared for every stream, and asked for where nothing was measured', () => {
    expect(comparedLabels(latency, two)).toHaveLength(4);
    expect(comparedLabels(latency, [])).toEqual(['p50', 'p99']);
  });

  it('keep the colour of a percentile; streams differ by dashes', () => {
    const series = ['main p50', 'main p99', 'probe p50', 'probe p99'].map((label) => ({
      key: 'latency_ms',
      label,
      unit: 'ms',
      points: [],
    }));
    const lines = labelLines(latency, { trialId: 't', armIndex: 0, armLabel: '', series, actions: [] });
    expect(lines[0]?.color).toBe(lines[2]?.color);
    expect(lines[0]?.color).not.toBe(lines[1]?.color);
    expect(lines[0]?.dash).not.toBe(lines[2]?.dash);
  });
});
