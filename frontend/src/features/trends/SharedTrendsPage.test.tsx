import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { serve } from '@/test/server';
import { aShare } from '@/test/shares';
import { rowsOf, show } from '@/test/show';
import SharedTrendsPage from './SharedTrendsPage';
import TrendsPage from './TrendsPage';
import { someTrends } from './trends.testdata';

const HERE = '/experiments/experiment-1/trends';

describe('Shared trends', () => {
  it('are shared as they are', async () => {
    const link = { ...aShare({ kind: 'trends' }), url: 'http://server/shared/secret/trends' };
    const server = serve({
      [`GET ${HERE}`]: someTrends(),
      [`GET ${HERE}/shares`]: [],
      [`POST ${HERE}/shares`]: link,
      'GET /runs/run-3/notes': [],
    });
    const { user } = show(<TrendsPage />, { path: '/experiments/:experimentId/trends', at: HERE });
    await user.click(await screen.findByRole('button', { name: 'Share' }));
    const dialog = within(await screen.findByRole('dialog', { name: 'Share these trends' }));
    await user.click(await dialog.findByRole('button', { name: 'Create link' }));
    expect(await dialog.findByText(link.url)).toBeInTheDocument();
    expect(server.bodies(`POST ${HERE}/shares`)).toEqual([{ expires_in_days: 30 }]);
  });

  it('show the same to anyone, with nothing to follow', async () => {
    serve({ 'GET /shared/secret/trends': { ...someTrends(), as_of: '2026-01-05T00:00:00Z' } });
    const at = '/shared/secret/trends';
    const { user } = show(<SharedTrendsPage />, { path: '/shared/:token/trends', at, role: null });
    expect(await screen.findByRole('heading', { name: 'Trends of Socket sharding' })).toBeInTheDocument();
    expect(screen.getByText(/^As of .*2026/)).toBeInTheDocument();
    expect(screen.getByText('Yes: better in 1 of 2')).toBeInTheDocument();
    await user.click(screen.getByText('Requests/s as a table'));
    expect(rowsOf(await screen.findByRole('table'))[0]).toMatch(/^#3 \| .* \| 1,300 req\/s .* \| –$/);
    const links = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(links).toEqual(['/sample']);
  });
});
