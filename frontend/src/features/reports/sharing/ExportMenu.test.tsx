import { screen, within } from '@testing-library/react';
import type { ComponentProps } from 'react';
import { describe, expect, it } from 'vitest';
import { IN_A_FILE, ShareToken } from '@/api/shareToken';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { ExportMenu } from './ExportMenu';

const OVER = { id: 'run-1', finished_at: '2026-01-02T03:05:15Z' };

async function offered(token: string | null, run: ComponentProps<typeof ExportMenu>['run'] = OVER) {
  const { user } = show(
    <ShareToken value={token}>
      <ExportMenu run={run} />
    </ShareToken>,
  );
  await user.click(screen.getByRole('button', { name: 'Export' }));
  const items = within(await screen.findByRole('menu')).getAllByRole('menuitem');
  return items.map((item) => item.getAttribute('href'));
}

describe('The menu of exports', () => {
  it('gives who is signed in every form, the archive once the run is over', async () => {
    const all = await offered(null);
    expect(all).toHaveLength(10);
    expect(all).toContain('/api/v1/runs/run-1/exports/run.zip');
  });

  it('has no archive of a run that goes on', async () => {
    expect(await offered(null, { ...OVER, finished_at: null })).not.toContain(
      '/api/v1/runs/run-1/exports/run.zip',
    );
  });

  it('has nothing that is made of raw data which a rule removed', async () => {
    const raw_removed = { at: OVER.finished_at, days: 90 };
    const left = await offered(null, { ...OVER, raw_removed });
    expect(left).toHaveLength(8);
    expect(left.some((address) => /run\.zip|histograms/.test(address ?? ''))).toBe(false);
  });

  it('gives the reader of a link what the link shows', async () => {
    const shared = await offered('secret');
    expect(shared).toHaveLength(9);
    const files = shared.filter((address) => address !== null);
    expect(files).toHaveLength(8);
    expect(files.every((address) => address.startsWith('/api/v1/shared/secret/exports/'))).toBe(true);
  });

  it('has the server print a PDF, and says why it cannot', async () => {
    const reason = problem(404, 'This server makes no PDF.');
    const server = serve({ 'GET /runs/run-1/exports/report.pdf': reason });
    const { user } = show(<ExportMenu run={OVER} />);
    await user.click(screen.getByRole('button', { name: 'Export' }));
    await user.click(await screen.findByRole('menuitem', { name: /^PDF/ }));
    expect(await screen.findByText('This server makes no PDF.')).toBeInTheDocument();
    const asked = server.to('GET /runs/run-1/exports/report.pdf');
    expect(asked.map(({ query }) => query)).toEqual([{ language: 'en', paper: 'letter' }]); // the browser is American
  });

  it('is not in a report that is a file itself', () => {
    show(
      <ShareToken value={IN_A_FILE}>
        <ExportMenu run={OVER} />
      </ShareToken>,
    );
    expect(screen.queryByRole('button', { name: 'Export' })).not.toBeInTheDocument();
  });
});
