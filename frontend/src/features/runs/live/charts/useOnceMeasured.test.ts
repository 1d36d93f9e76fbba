import { renderHook } from '@testing-library/react';
import { expect, it } from 'vitest';
import type { SeriesInfo } from '@/api/generated';
import { definitionFor } from '@/components/charts/series/definitions';
import { useOnceMeasured } from './useOnceMeasured';

const definition = definitionFor({ key: 'resets_per_s' } as SeriesInfo);
const trial = (...keys: string[]) => ({
  trialId: 'trial',
  armIndex: 0,
  armLabel: 'arm',
  series: keys.map((key) => ({ key, label: '', unit: '', points: [] })),
  actions: [],
});

it('remembers what was measured when trials begin that have nothing of it', () => {
  const { result, rerender } = renderHook(useOnceMeasured, { initialProps: { trials: [trial('cpu')] } });
  expect(result.current(definition)).toBe(false);
  rerender({ trials: [trial('resets_per_s')] });
  expect(result.current(definition)).toBe(true);
  rerender({ trials: [trial('cpu')] });
  expect(result.current(definition)).toBe(true);
});
