import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { FactorEffect, RunAnalysis } from '@/api/generated';
import { plain } from '@/test/plain';
import { show } from '@/test/show';
import { aReport } from '../report.testdata';
import { FactorsSection } from './FactorsSection';

const effect = (text: string, verdict: FactorEffect['verdict'], family: FactorEffect['family'] = 'primary') =>
  ({ metric: 'requests_per_s', text, verdict, family }) as FactorEffect;

function open(changes: Partial<RunAnalysis>, levels: Record<string, string> = { accept: 'a', mode: 'b' }) {
  const { analysis } = aReport();
  const arms = analysis.arms.map((arm) => ({ ...arm, levels }));
  show(<FactorsSection analysis={{ ...analysis, factor_effects_reason: null, ...changes, arms }} />);
}

describe('FactorsSection', () => {
  it('tells what each factor does, and marks claims on primary metrics only', () => {
    open({
      factor_effects: [
        effect('close costs 30 %', 'worse'),
        effect('reuseport gives 1 %', 'undecided'),
        effect('Exploratory: http2 gives 9 %', 'higher', 'exploratory'),
      ],
    });
    expect(screen.getByRole('heading', { name: 'Requests per second' })).toBeInTheDocument();
    expect(
      screen.getAllByRole('listitem').map((item) => [plain(item.textContent), item.dataset.claim]),
    ).toEqual([
      ['close costs 30 %', 'true'],
      ['reuseport gives 1 %', undefined],
      ['Exploratory: http2 gives 9 %', undefined],
    ]);
  });

  it('says why nothing is told', () => {
    open({ factor_effects_reason: 'too few complete blocks' });
    expect(screen.getByText('too few complete blocks')).toBeInTheDocument();
  });

  it('is left out where arms differ in one factor only', () => {
    open({ factor_effects_reason: 'fewer than two factors' }, { accept: 'a' });
    expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  });
});
