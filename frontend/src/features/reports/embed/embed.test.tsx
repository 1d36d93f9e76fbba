import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { framedScheme } from '@/app/theme';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { aReport, chartRoutes } from '../report.testdata';
import SharedReportPage from '../sharing/SharedReportPage';
import EmbeddedChartPage from './EmbeddedChartPage';
import { chartAddress, chartHtml } from './snippet';

const SHOWN = { ...aReport(), as_of: '2026-01-03T00:00:00Z' };
const ROUTES = { 'GET /shared/secret': SHOWN, ...chartRoutes('/shared/secret') };

function open(rest: string, routes: Record<string, unknown> = ROUTES) {
  const server = serve(routes);
  const at = `/shared/secret/charts/${rest}`;
  return { server, ...show(<EmbeddedChartPage />, { path: '/shared/:token/charts/:chart', at, role: null }) };
}

describe('An embedded chart', () => {
  it('is drawn alone, with a way to its report outside of the frame', async () => {
    open('requests_per_s?line=wrk&block=1');
    expect(await screen.findByRole('figure', { name: /^Requests per second/ })).toBeInTheDocument();
    expect(screen.getAllByRole('figure')).toHaveLength(1);
    const [link, ...others] = screen.getAllByRole('link');
    expect(others).toEqual([]);
    expect(link).toHaveAttribute('href', '/shared/secret');
    expect(link).toHaveAttribute('target', '_blank');
    const buttons = screen.getAllByRole('button').map(({ textContent }) => textContent);
    expect(buttons).toEqual(['accept_mutex on', 'reuseport']); // of the legend, which hides lines
    expect(screen.getByText(/as of .*2026/)).toBeInTheDocument();
  });

  it('may be the distribution of latency', async () => {
    const { server } = open('latency');
    expect(await screen.findByRole('figure', { name: 'Distribution of latency by arm' })).toBeInTheDocument();
    expect(server.to('GET /shared/secret/trials/trial-2/series')).toEqual([]);
  });

  it('says what is not there', async () => {
    open('nothing');
    expect(await screen.findByRole('alert')).toHaveTextContent('This report has no such chart.');
  });

  it('says that its link opens nothing any more', async () => {
    const gone = problem(404, 'This link is unknown, revoked or expired.', 'unknown-link');
    open('latency', { 'GET /shared/secret': gone });
    expect(await screen.findByRole('alert')).toHaveTextContent('This link is unknown, revoked or expired.');
  });

  it('is offered as HTML to who reads the report by its link', async () => {
    serve(ROUTES);
    const at = '/shared/secret';
    const { user } = show(<SharedReportPage />, { path: '/shared/:token', at, role: null });
    await user.click(await screen.findByRole('button', { name: 'Open all sections' }));
    await user.click(await screen.findByRole('button', { name: 'Embed the chart Latency of all responses' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Embed this chart' }));
    const address = `${window.location.origin}/shared/secret/charts/latency`;
    expect(dialog.getByText(chartHtml(address, 'Latency of all responses', 380))).toBeInTheDocument();
    await user.click(dialog.getByRole('radio', { name: 'Dark' }));
    expect(dialog.getByText(/\/charts\/latency\?scheme=dark/)).toBeInTheDocument();
  });
});

describe('Its HTML', () => {
  it('names the line, and leaves no way out of an attribute', () => {
    const place = { key: 'requests_per_s', line: 'a "b" & c', block: 'all' };
    const address = chartAddress('https://lab', 'secret', place, 'light');
    expect(address).toBe(
      'https://lab/shared/secret/charts/requests_per_s?line=a+%22b%22+%26+c&block=all&scheme=light',
    );
    const frame = document.createElement('div');
    frame.innerHTML = chartHtml(address, 'Requests: "a" <b>');
    expect(frame.querySelector('iframe')).toHaveAttribute('src', address);
    expect(frame.querySelector('iframe')).toHaveAttribute('title', 'Requests: "a" <b>');
  });

  it('decides the colours of the chart, and of no other page', () => {
    const scheme = (pathname: string, search: string) => framedScheme({ pathname, search });
    expect(scheme('/shared/secret/charts/latency', '?scheme=dark')).toBe('dark');
    expect(scheme('/shared/secret/charts/latency', '?scheme=other')).toBeUndefined();
    expect(scheme('/shared/secret', '?scheme=dark')).toBeUndefined();
  });
});
