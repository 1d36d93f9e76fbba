import { renderHook } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { CHARTS, type ChartDefinition } from '@/components/charts/series/definitions';
import type { TrialSource } from '@/components/charts/series/lines';
import { useLabels } from './liveLines';

const RATES = CHARTS.find(({ key }) => key === 'requests_per_s') as ChartDefinition;
const LATENCY = CHARTS.find(({ key }) => key === 'latency_ms') as ChartDefinition;

const trial = (trialId: string, ...labels: string[]): TrialSource => ({
  trialId,
  armIndex: 0,
  armLabel: 'arm',
  series: labels.map((label) => ({ key: RATES.key, label, unit: '', points: [] })),
  actions: [],
});

describe('useLabels', () => {
  it('keeps what was measured when nothing of it is looked at any more', () => {
    const { result, rerender } = renderHook(({ trials }) => useLabels([RATES, LATENCY], { trials }), {
      initialProps: { trials: [trial('a', 'wrk')] },
    });
    expect(result.current(RATES)).toEqual(['wrk']);
    rerender({ trials: [trial('b')] });
    expect(result.current(RATES)).toEqual(['wrk']);
    rerender({ trials: [trial('b', 'probe', 'wrk')] });
    expect(result.current(RATES)).toEqual(['probe', 'wrk']);
    expect(result.current(LATENCY)).toEqual([]);
  });
});
