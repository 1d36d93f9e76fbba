import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Report } from '@/api/generated';
import { serve } from '@/test/server';
import { rowsOf, show } from '@/test/show';
import { aReport, reportRoutes, someSeries } from '../report.testdata';
import { BalanceSection } from './BalanceSection';
import { DistributionSection } from './DistributionSection';
import { ShiftSection } from './ShiftSection';
import { TimeSection } from './TimeSection';

/** The trial of `reuseport` in block 2 instead. */
function ofTwoBlocks(): Report {
  const trials = aReport().trials.map((one, place) => ({
    ...one,
    trial: { ...one.trial, block: 1 + place },
  }));
  return aReport({ trials });
}

describe('TimeSection', () => {
  const figure = () => screen.findByRole('figure', { name: /^Requests per second/ });

  it('shows the first block, another, or all of them at once', async () => {
    const server = serve(reportRoutes());
    const { user, address } = show(<TimeSection report={ofTwoBlocks()} />);
    expect(await figure()).not.toHaveTextContent('reuseport');
    expect(server.to('GET /trials/trial-3/series')).toEqual([]);
    await user.click(screen.getByRole('radio', { name: '2' }));
    await waitFor(async () => expect(await figure()).toHaveTextContent('reuseport'));
    expect(address()).toBe('/?block=2');
    await user.click(screen.getByRole('radio', { name: 'All' }));
    await waitFor(async () => expect(await figure()).toHaveTextContent('accept_mutex on'));
    expect(await figure()).toHaveTextContent('reuseport');
  });

  it('shows further charts when asked', async () => {
    serve(reportRoutes());
    const { catalogue } = aReport();
    const further = catalogue
      .slice(0, 1)
      .map((info) => ({ ...info, key: 'pressure_share', title: 'Pressure' }));
    const { user } = show(<TimeSection report={aReport({ catalogue: [...catalogue, ...further] })} />);
    await figure();
    expect(screen.queryByRole('figure', { name: /^Pressure/ })).not.toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'All charts' }));
    expect(await screen.findByRole('figure', { name: /^Pressure/ })).toHaveTextContent('reuseport');
    await user.click(screen.getByRole('button', { name: 'Main charts only' }));
    await waitFor(() => expect(screen.queryByRole('figure', { name: /^Pressure/ })).not.toBeInTheDocument());
  });
});

describe('TimeSection, where something stayed at zero', () => {
  const { catalogue } = aReport();
  const drops = catalogue.slice(0, 1).map((info) => ({ ...info, key: 'drops_per_s', title: 'Drops' }));
  const withDrops = (values: readonly (number | null)[]) => {
    const of = ['trial-2', 'trial-3', 'trial-4', 'trial-8'].map((id) => {
      const points = values.map((value, t) => [t, value]);
      const own = someSeries(id);
      const line = { key: 'drops_per_s', label: 'eth0', unit: 'packets/s', points };
      return [`GET /trials/${id}/series`, { ...own, series: [...own.series, line] }];
    });
    serve({ ...reportRoutes(), ...Object.fromEntries(of) });
    show(<TimeSection report={aReport({ catalogue: [...catalogue, ...drops] })} />, {
      path: '/',
      at: '/?charts=all',
    });
  };

  it('says so in a line, to which a link to its chart leads, and draws no chart of nothing', async () => {
    withDrops([0, null, 0]);
    expect(await screen.findByText(/^Nothing happened in/)).toHaveTextContent(
      'Nothing happened in: Drops: eth0.',
    );
    expect(screen.getByText('Drops: eth0')).toHaveAttribute('id', 'time-drops-eth0');
    expect(screen.queryByRole('figure', { name: /^Drops/ })).not.toBeInTheDocument();
  });

  it('draws what happened once', async () => {
    withDrops([0, 3, 0]);
    expect(await screen.findByRole('figure', { name: /^Drops/ })).toBeInTheDocument();
    expect(screen.queryByText(/^Nothing happened in/)).not.toBeInTheDocument();
  });
});

describe('BalanceSection', () => {
  it('tells the shares of the workers, and how uneven they are', () => {
    show(<BalanceSection arms={aReport().analysis.arms} />);
    expect(
      screen.getByRole('img', {
        name: 'CPU share of the workers under accept_mutex on: 100 %, 0 %, 0 %, 0 %',
      }),
    ).toBeInTheDocument();
    const [first, second] = screen.getAllByText('CV of CPU');
    expect(first?.nextSibling).toHaveTextContent('1.73');
    expect(second?.nextSibling).toHaveTextContent('0.10');
  });

  it('is left out where workers were not measured', () => {
    const arms = aReport().analysis.arms.map((arm) => ({ ...arm, balance: null }));
    show(<BalanceSection arms={arms} />);
    expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  });
});

describe('DistributionSection', () => {
  it('draws a curve an arm, with its percentiles in a table', async () => {
    show(<DistributionSection report={aReport()} />);
    const section = within(
      screen.getByRole('heading', { name: 'Latency of all responses' }).closest('section') as HTMLElement,
    );
    expect(rowsOf(section.getByRole('table'))[0]).toBe(
      'accept_mutex on | 318,909 | 2.27 ms | 1.79 ms | 1.50 ms | 4.48 ms | 9.06 ms | 14.2 ms | 22.3 ms',
    );
    await waitFor(() => expect(document.querySelectorAll('path.recharts-curve')).toHaveLength(2));
  });
});

describe('ShiftSection', () => {
  const points = [
    { fraction: 0.5, own_us: 1485, baseline_us: 1500, ratio: 0.99, low: 0.9, high: 1.09, text: '−1 %' },
    { fraction: 0.99, own_us: 18_000, baseline_us: 9000, ratio: 2, low: 1.5, high: 2.7, text: '2.0x' },
  ].map((point) => ({ ...point, band_text: point.fraction === 0.5 ? '−10 % to +9 %' : '1.5x to 2.7x' }));
  const shift = { pairs: 5, band: '95 % band', missing: 'Not shown: p99.9. Too few.', points };
  const withShift = () => {
    const { analysis, ...report } = aReport();
    const arms = analysis.arms.map((arm) => (arm.is_baseline ? arm : { ...arm, shift }));
    return { ...report, analysis: { ...analysis, arms } };
  };

  it('draws the change at each percentile with its band, and tells both in a table', async () => {
    show(<ShiftSection report={withShift()} />);
    expect(rowsOf(screen.getByRole('table'))).toEqual([
      'p50 | 1.50 ms | −1 % (−10 % to +9 %)',
      'p99 | 9 ms | 2.0x (1.5x to 2.7x)',
    ]);
    expect(screen.getByText(/Not shown/).closest('p')).toHaveTextContent(
      'reuseport: Not shown: p99.9. Too few.',
    );
    await waitFor(() => expect(document.querySelectorAll('path.recharts-area-area')).toHaveLength(1));
    expect(document.querySelectorAll('path.recharts-line-curve')).toHaveLength(1);
    const reader = screen.getByRole('slider', { name: /^Change of latency by percentile/ });
    expect(reader).toHaveAttribute('aria-valuetext', 'p50: reuseport −1 % (−10 % to +9 %)');
  });

  it('is left out where no arm was compared', () => {
    show(<ShiftSection report={aReport()} />);
    expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  });
});
