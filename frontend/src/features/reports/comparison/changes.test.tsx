import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Comparison, RunAnalysis } from '@/api/generated';
import { plain } from '@/test/plain';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { TimeSection } from '../charts/TimeSection';
import { aReport, reportRoutes } from '../report.testdata';
import { ComparisonTable } from './ComparisonTable';
import { changesOf } from './changes';

const ratio = (estimate: number, ci_low: number, ci_high: number, verdict: string) =>
  ({
    scale: 'ratio',
    estimate,
    ci_low,
    ci_high,
    verdict,
    text: `${estimate}x`,
    ci_text: 'so far',
  }) as Comparison;

/** The second arm differs as told, in nothing else. */
function analysis(told: Record<string, Comparison>): RunAnalysis {
  const given = aReport().analysis;
  const arms = given.arms.map((arm) => ({
    ...arm,
    metrics: arm.metrics.map((one) => ({
      ...one,
      comparison: (!arm.is_baseline && told[one.metric]) || null,
    })),
  }));
  return { ...given, arms };
}

const TOLD = {
  requests_per_s: ratio(0.5, 0.4, 0.7, 'worse'),
  latency_p99_us: ratio(3, 2.9, 3.1, 'worse'),
  latency_p50_us: ratio(1.5, 0.9, 2.4, 'undecided'),
  worker_cpu_cv: { ...ratio(2, 1, 3, 'higher'), scale: 'difference' } as Comparison,
};

describe('What changed', () => {
  it('is what is said to differ, the clearest first', () => {
    expect(changesOf(analysis(TOLD)).map(({ metric }) => metric.key)).toEqual([
      'latency_p99_us',
      'requests_per_s',
      'worker_cpu_cv',
    ]);
    expect(changesOf(analysis({}))).toEqual([]);
  });

  it('stands first in the table, until the reader wants the usual order', async () => {
    const { user, address } = show(<ComparisonTable analysis={analysis(TOLD)} />);
    const heads = () =>
      screen.getAllByRole('button', { expanded: true }).map(({ textContent }) => plain(textContent));
    expect(heads()[0]).toBe('What changed3 metrics');
    await user.click(screen.getByRole('button', { name: 'In the usual order' }));
    expect(heads()[0] ?? '').not.toMatch(/^What changed/);
    expect(address()).toBe('/?order=usual');
    await user.click(screen.getByRole('button', { name: 'What changed first' }));
    expect(heads()[0]).toMatch(/^What changed/);
  });

  it('has its charts over time first, with the intervals', async () => {
    serve(reportRoutes());
    const { user } = show(<TimeSection report={aReport({ analysis: analysis(TOLD) })} />);
    await screen.findByRole('figure', { name: /^Requests per second/ });
    const [first, second] = screen.getAllByRole('figure');
    expect(plain(first?.getAttribute('aria-label') ?? '')).toMatch(/^Latency: p99/);
    expect(plain(second?.getAttribute('aria-label') ?? '')).toMatch(/^Requests per second/);
    const changed = screen.getByRole('heading', { name: 'What changed' }).parentElement;
    expect(changed).toHaveTextContent(/Latency, p99, reuseport: 3x \(so far\)/);
    await user.click(screen.getByRole('button', { name: 'In the usual order' }));
    await waitFor(() => expect(screen.queryByRole('heading', { name: 'What changed' })).toBeNull());
  });
});
