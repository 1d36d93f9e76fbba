import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { SeriesInfo } from '@/api/generated';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { aReport, reportRoutes, someSeries } from '../report.testdata';
import { InsideSection } from './InsideSection';

const figure = () => screen.findByRole('figure', { name: /worker/ });

describe('InsideSection', () => {
  it('shows the workers of a trial, and those of another', async () => {
    const server = serve(reportRoutes());
    const { user, address } = show(<InsideSection report={aReport()} />);
    expect(await figure()).toHaveTextContent('worker 2');
    expect(server.to('GET /trials/trial-3/series')).toEqual([]);
    await user.selectOptions(screen.getByRole('combobox', { name: 'Trial' }), 'Block 1: reuseport');
    await waitFor(() => expect(server.to('GET /trials/trial-3/series')).toHaveLength(1));
    expect(address()).toBe('/?inside=trial-3');
    expect(await figure()).toHaveTextContent('worker 1');
  });

  it('says that nothing was measured only once it knows', async () => {
    const [rate] = someSeries('trial-2').series;
    serve({ ...reportRoutes(), 'GET /trials/trial-2/series': { ...someSeries('trial-2'), series: [rate] } });
    show(<InsideSection report={aReport()} />);
    expect(screen.queryByText(/were measured/)).not.toBeInTheDocument();
    expect(await screen.findByText('Neither workers nor CPUs were measured.')).toBeInTheDocument();
  });

  it('shows CPUs where the server knows of them', async () => {
    const info = aReport().catalogue.find(({ key }) => key === 'worker_cpu_share') as SeriesInfo;
    const catalogue = [...aReport().catalogue, { ...info, key: 'cpu_busy_share', title: 'Load of each CPU' }];
    const own = someSeries('trial-2');
    const cpus = own.series
      .filter(({ key }) => key === 'worker_cpu_share')
      .map((line) => ({ ...line, key: 'cpu_busy_share', label: line.label.replace('worker', 'CPU') }));
    serve({ ...reportRoutes(), 'GET /trials/trial-2/series': { ...own, series: [...own.series, ...cpus] } });
    show(<InsideSection report={aReport({ catalogue })} />);
    expect(await screen.findByRole('figure', { name: /^Load of each CPU/ })).toHaveTextContent('CPU 2');
  });

  it('has nothing to show once raw data was removed', () => {
    const { run } = aReport();
    const raw_removed = { at: '2026-01-02T03:04:05Z', days: 90 };
    show(<InsideSection report={aReport({ run: { ...run, raw_removed } })} />);
    expect(screen.queryByRole('heading')).not.toBeInTheDocument();
  });
});
