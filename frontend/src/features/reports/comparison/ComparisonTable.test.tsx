import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { rowsOf, show } from '@/test/show';
import { aReport } from '../report.testdata';
import { ComparisonTable } from './ComparisonTable';

const open = (changes = {}) =>
  show(<ComparisonTable analysis={{ ...aReport().analysis, ...changes }} />, {
    path: '/',
    at: '/?order=usual',
  });
const rows = () => rowsOf(screen.getByRole('table'));

describe('ComparisonTable', () => {
  it('sets each arm beside the baseline, with the interval and what it means', () => {
    open();
    expect(rows()).toContainEqual(
      expect.stringMatching(/^Requests per second.* \| accept_mutex onbaseline \| 34,001 req\/s \|/),
    );
    expect(rows()).toContainEqual(
      expect.stringMatching(
        /^reuseport \| 26,306 req\/s \| .* \| -23 %-67 % to \+81 %95 % CI \| {2}\| undecided$/,
      ),
    );
    expect(rows()).toContainEqual(
      expect.stringMatching(/^reuseport \| 0\.10 \| .* \| -1\.63-1\.71 to -1\.5695 % CI \| {2}\| better$/),
    );
    expect(screen.getByRole('img', { name: '-23 %, 95 % CI -67 % to +81 %' })).toBeInTheDocument();
  });

  it('says why there is no comparison', () => {
    const { analysis } = aReport();
    const arms = analysis.arms.map((arm) => ({
      ...arm,
      metrics: arm.metrics.map((one) => ({
        ...one,
        comparison: null,
        no_comparison_reason: 'no complete block',
      })),
    }));
    open({ arms });
    expect(rows()).toContainEqual(expect.stringMatching(/^reuseport.* \| no complete block$/));
  });

  it('opens at throughput, latency and what the verdict is about; the rest by keyboard', async () => {
    const { user } = open({ statements: [] });
    const balance = screen.getByRole('button', { name: /^Balance between workers/ });
    expect(balance).toHaveAttribute('aria-expanded', 'false');
    expect(screen.queryByText('Imbalance of worker CPU (CV)')).not.toBeInTheDocument();
    balance.focus();
    await user.keyboard('{Enter}');
    expect(screen.getByText('Imbalance of worker CPU (CV)')).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: /^Throughput/ }));
    expect(screen.queryByText('Requests per second')).not.toBeInTheDocument();
  });

  it('has what the verdict is about open', () => {
    open();
    expect(screen.getByRole('button', { name: /^Balance between workers/ })).toHaveAttribute(
      'aria-expanded',
      'true',
    );
  });
});
