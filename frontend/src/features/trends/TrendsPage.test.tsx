import { fireEvent, screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aNote } from '@/test/notes';
import { problem } from '@/test/server';
import { rowsOf } from '@/test/show';
import { openTrends } from './showTrends.testdata';
import { aLine, aTrendRun, someTrends } from './trends.testdata';

describe('TrendsPage', () => {
  it('says whether the latest run differs, then what changed and what is not drawn', async () => {
    openTrends();
    expect(
      await screen.findByRole('heading', { name: 'Is run #3 different from those before?' }),
    ).toBeVisible();
    expect(screen.getByText('Yes: better in 1 of 2')).toBeInTheDocument();
    expect(screen.getByText(/is \+30 %/)).toHaveTextContent('Better: reuseport is +30 %');
    expect(screen.getByText('The other 1 in words')).toBeInTheDocument();
    expect(screen.getByRole('figure', { name: 'Requests/s, requests/s' })).toBeInTheDocument();
    expect(screen.getByText(/None is shown/)).toHaveTextContent('6 are needed');
    expect(screen.getByText(/it was cancelled/)).toBeInTheDocument();
    expect(screen.getByText('Runs share no blocks.')).toBeInTheDocument();
    expect(document.title).toMatch(/^Trends of Socket sharding/);
  });

  it('draws the runs of one branch, which the address keeps', async () => {
    const revision = { commit: '0123456789abcdef', branch: 'main', pull_request: 12 };
    const trends = someTrends({
      branches: ['fix', 'main'],
      runs: [aTrendRun(1), aTrendRun(2), aTrendRun(3, { revision })],
    });
    const { user, server } = openTrends(trends);
    expect(await screen.findByText('main, 0123456789, pull request #12')).toBeInTheDocument();
    await user.click(screen.getByRole('combobox', { name: 'Branch' }));
    await user.click(await screen.findByRole('option', { name: 'fix' }));
    await waitFor(() =>
      expect(server.to('GET /experiments/experiment-1/trends').at(-1)?.query).toEqual({ branch: 'fix' }),
    );
  });

  it('shows the latest run, and another one by the slider', async () => {
    openTrends();
    const slider = await screen.findByRole('slider', { name: 'Run' });
    expect(slider).toHaveAttribute('aria-valuetext', expect.stringContaining('#3, 3 Jan 2026'));
    expect(slider).toHaveAttribute('aria-valuetext', expect.stringMatching(/1,300\sreq\/s/));
    const of = () => screen.getByRole('heading', { name: /^Run #/ }).closest('section') as HTMLElement;
    expect(within(of()).getByText('nginx/1.22.1 → nginx/1.24.0')).toBeInTheDocument();
    expect(within(of()).getByRole('link', { name: 'Compare #3 with the run before' })).toHaveAttribute(
      'href',
      '/compare?runs=run-2,run-3',
    );
    fireEvent.change(slider, { target: { value: '0' } });
    expect(within(of()).getByRole('heading', { name: 'Run #1' })).toBeInTheDocument();
    expect(within(of()).getByRole('link', { name: 'Report' })).toHaveAttribute('href', '/runs/run-1/report');
    expect(within(of()).queryByRole('link', { name: /^Compare/ })).not.toBeInTheDocument();
  });

  it('shows the notes on the chosen run, flags where there are some, and takes new ones', async () => {
    const { user, server } = openTrends(
      someTrends({ runs: [aTrendRun(1, { notes: 2 }), aTrendRun(2), aTrendRun(3)] }),
      {
        'GET /runs/run-1/notes': [
          aNote({ text: 'A *new* kernel.' }),
          aNote({ id: 'note-2', trial_id: 'trial-1', t_s: 2 }),
        ],
        'POST /runs/run-1/notes': aNote(),
      },
    );
    const slider = await screen.findByRole('slider', { name: 'Run' });
    fireEvent.change(slider, { target: { value: '0' } });
    const list = within(await screen.findByRole('list', { name: 'Notes' }));
    expect(await list.findByText('new')).toBeInTheDocument();
    expect(list.getByText('One trial, at 2 s')).toBeInTheDocument();
    expect(slider).toHaveAttribute('aria-valuetext', expect.stringContaining(', 2 notes. '));
    const figure = screen.getByRole('figure', { name: 'Requests/s, requests/s' });
    await waitFor(() => expect(figure.querySelectorAll('[fill="var(--note)"]')).toHaveLength(1));
    await user.click(screen.getByRole('button', { name: 'Add a note on this run' }));
    await user.type(await screen.findByRole('textbox', { name: 'Note' }), 'Faster.');
    await user.click(screen.getByRole('button', { name: 'Add the note' }));
    await waitFor(() =>
      expect(server.bodies('POST /runs/run-1/notes')).toEqual([
        { text: 'Faster.', trial_id: null, t_s: null },
      ]),
    );
  });

  it('has the numbers of a chart as a table, with the reason where there is none', async () => {
    const { user } = openTrends();
    await user.click(await screen.findByText('Requests/s as a table'));
    const rows = rowsOf(await screen.findByRole('table'));
    expect(rows).toHaveLength(3);
    expect(rows[0]).toMatch(
      /^#3 \| .* \| 1,300 req\/s \(1,290 to 1,310 req\/s\) \| – \| with the run before$/,
    );
    expect(rows[1]).toContain('not valid: errors');
  });

  it('tells change points, and where lines are broken', async () => {
    const point = {
      run: 3,
      before_from: 1,
      before_to: 2,
      until: 3,
      verdict: 'better' as const,
      estimate: 1.3,
      ci_low: 1.2,
      ci_high: 1.4,
      text: 'Better from #3 on: +30 %',
    };
    const [metric] = someTrends().metrics;
    const line = aLine({
      change_points: [point],
      breaks: [{ run: 3, reason: 'another load' }],
      none_because: null,
    });
    openTrends(someTrends({ metrics: metric ? [{ ...metric, lines: [line] }] : [] }));
    expect(await screen.findByText('Better from #3 on: +30 %')).toBeInTheDocument();
    expect(screen.getByText(/are broken/).closest('li')).toHaveTextContent(
      '#3: nginx/1.22.1 → nginx/1.24.0; lines of reuseport are broken: another load',
    );
  });

  it('chooses the run of which the place in a chart is clicked', async () => {
    const { user } = openTrends();
    const figure = await screen.findByRole('figure', { name: 'Requests/s, requests/s' });
    await waitFor(() => expect(figure.querySelector('[data-run="2"]')).toBeInTheDocument());
    await user.click(figure.querySelector('[data-run="2"]') as Element);
    expect(screen.getByRole('heading', { name: 'Run #2' })).toBeInTheDocument();
  });

  it('asks again while means of older runs are computed, and says that they are to come', async () => {
    const older = { id: 'run-4', number: 4, at: '2026-01-04T03:04:05Z', reason: 'an older one' };
    let asked = 0;
    openTrends(() => {
      asked += 1;
      return someTrends({ left_out: asked === 1 ? [{ ...older, is_pending: true }] : [] });
    });
    expect(await screen.findByText(/Means of 1 older run are being computed/)).toBeInTheDocument();
    await waitFor(() => expect(screen.queryByText(/older run/)).not.toBeInTheDocument(), { timeout: 60_000 });
  });

  it('says that there is nothing to draw, and why', async () => {
    openTrends(someTrends({ runs: [], metrics: [], latest: null, notes: [] }));
    expect(await screen.findByText('No run to draw yet')).toBeInTheDocument();
    expect(screen.getByText(/it was cancelled/)).toBeInTheDocument();
  });

  it('says that there is no such experiment', async () => {
    openTrends(problem(404, 'There is no such experiment.'));
    expect(await screen.findByRole('alert')).toHaveTextContent('There is no such experiment.');
  });
});
