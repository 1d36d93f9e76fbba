import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { SeriesInfo } from '@/api/generated';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { InsideSection } from './InsideSection';
import { aReport, reportRoutes, someLatencyMaps, someSeries } from './report.testdata';

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

  it('shows how long all requests took, each stream for itself', async () => {
    const maps = someLatencyMaps('trial-2', ['probe', 'wrk']);
    serve({ ...reportRoutes(), 'GET /trials/trial-2/latency-maps': maps });
    show(<InsideSection report={aReport()} />);
    const map = await screen.findByRole('figure', { name: /^Latency of all requests over time: wrk/ });
    expect(map).toHaveTextContent('Most often 1 to 10 ms; the slowest 0.1 to 1 s, at 1.5 s.');
    await waitFor(() => expect(map.querySelectorAll('path[fill^="color-mix"]').length).toBeGreaterThan(2));
    expect(screen.getByRole('figure', { name: /over time: probe/ })).toBeInTheDocument();
  });

  it('says what cannot be loaded, and tries again when asked', async () => {
    const route = 'GET /trials/trial-2/latency-maps';
    const server = serve({ ...reportRoutes(), [route]: problem(500, 'Away.') });
    const { user } = show(<InsideSection report={aReport()} />);
    expect(await screen.findByRole('alert')).toHaveTextContent('Away.');
    expect(await figure()).toHaveTextContent('worker 2');
    server.answer(route, someLatencyMaps('trial-2'));
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('figure', { name: /^Latency of all requests/ })).toBeInTheDocument();
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
