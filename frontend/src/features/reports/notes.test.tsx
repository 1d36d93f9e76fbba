import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aNote } from '@/test/notes';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import ReportPage from './ReportPage';
import { aReport, chartRoutes, reportRoutes } from './report.testdata';
import SharedReportPage from './sharing/SharedReportPage';

const ON_A_MOMENT = aNote({ id: 'note-2', trial_id: 'trial-3', t_s: 1, text: 'The *dip*.' });

function open(notes = [aNote(), ON_A_MOMENT], role: 'viewer' | 'experimenter' = 'experimenter') {
  serve({ ...reportRoutes(aReport({ notes })), 'GET /trials/trial-3/artefacts': [] });
  return show(<ReportPage />, { path: '/runs/:runId/report', at: '/runs/run-1/report', role });
}

describe('Notes in a report', () => {
  it('have flags in the charts over time, which lead to them and say what they are', async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Open all sections' }));
    const list = within(await screen.findByRole('list', { name: 'Notes' }));
    expect(list.getAllByRole('listitem')[1]).toHaveAttribute('id', 'note-note-2');
    const figure = within(await screen.findByRole('figure', { name: /^Requests per second/ }));
    const flag = await figure.findByRole('link', { name: /^Note 2, .*block 1, at 1\ss: The \*dip\*\.$/ });
    expect(flag).toHaveAttribute('href', '#note-note-2');
    expect(figure.getByText('note 2 at 1 s')).toBeInTheDocument();
    expect(figure.queryByRole('link', { name: /^Note 1/ })).not.toBeInTheDocument();
  });

  it('are counted in the table of trials and shown in the dialog of theirs', async () => {
    const { user } = open();
    await user.click(await screen.findByRole('button', { name: 'Open all sections' }));
    await user.click(await screen.findByRole('button', { name: 'Details, 1 note' }));
    const dialog = within(await screen.findByRole('dialog', { name: /^Trial/ }));
    expect(await dialog.findByRole('list', { name: 'Notes' })).toHaveTextContent(/^2.*at 1 s.*The dip\./);
    expect(dialog.getByRole('button', { name: 'Add a note' })).toBeInTheDocument();
  });

  it('are not offered to viewers', async () => {
    open([], 'viewer');
    expect(await screen.findByRole('heading', { name: 'Trials and request counts' })).toBeInTheDocument();
    expect(screen.queryByRole('heading', { name: 'Notes' })).not.toBeInTheDocument();
    expect(screen.queryByRole('button', { name: /^Add a note/ })).not.toBeInTheDocument();
  });

  it('are in a shared one as they came, without names, and nobody is asked who reads', async () => {
    const notes = [ON_A_MOMENT].map((note) => ({ ...note, author: null, may_change: false }));
    serve({ 'GET /shared/secret': aReport({ notes }), ...chartRoutes('/shared/secret') });
    show(<SharedReportPage />, { path: '/shared/:token', at: '/shared/secret', role: null });
    const list = within(await screen.findByRole('list', { name: 'Notes' }));
    const [item] = list.getAllByRole('listitem');
    await waitFor(() => expect(item?.querySelector('em')).toHaveTextContent('dip'));
    expect(item?.textContent).toMatch(/^1reuseport.*, block 1, at 1\ss\d/);
    expect(list.queryByRole('button')).not.toBeInTheDocument();
  });
});
