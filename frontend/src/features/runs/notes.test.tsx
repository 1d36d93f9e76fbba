import { screen, waitFor, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aRun } from '@/test/fixtures';
import { aNote } from '@/test/notes';
import { problem } from '@/test/server';
import { choose } from '@/test/show';
import { showRunPage } from './showRunPage.testdata';

const NOTES = 'GET /runs/run-1/notes';
const ADD = 'POST /runs/run-1/notes';
const list = async () => within(await screen.findByRole('list', { name: 'Notes' }));
const dialog = async (name: string | RegExp) => within(await screen.findByRole('dialog', { name }));

describe('Notes of a run', () => {
  it('say what they are on, who wrote them and when', async () => {
    const edited = '2026-01-02T03:10:00Z';
    showRunPage(aRun(), {
      [NOTES]: [
        aNote({ text: '**Look** here', edited_at: edited }),
        aNote({ id: 'note-2', trial_id: 'trial-2', t_s: 1.5, may_change: false }),
      ],
    });
    const [first, second] = (await list()).getAllByRole('listitem');
    await waitFor(() => expect(first?.querySelector('strong')).toHaveTextContent('Look'));
    expect(first).toHaveTextContent(/^1Whole runada@example\.org, .*2026.*, edited .*2026.*Look here$/);
    expect(second).toHaveTextContent('reuseport, block 1, at 1.5 s');
    expect(within(second as HTMLElement).queryByRole('button')).not.toBeInTheDocument();
  });

  it('are written on the whole run', async () => {
    const { user, server } = showRunPage(aRun(), { [ADD]: aNote() });
    expect(await screen.findByText(/Nobody has written a note/)).toBeInTheDocument();
    await user.click(screen.getByRole('button', { name: 'Add a note' }));
    const form = await dialog('Add a note');
    await user.click(form.getByRole('button', { name: 'Add the note' }));
    expect(form.getByText('Write something first.')).toBeInTheDocument();
    expect(server.to(ADD)).toEqual([]);
    await user.type(form.getByRole('textbox', { name: 'Note' }), 'A backup ran.');
    server.answer(NOTES, [aNote()]);
    await user.click(form.getByRole('button', { name: 'Add the note' }));
    expect((await list()).getByText('A backup ran.')).toBeInTheDocument();
    expect(server.bodies(ADD)).toEqual([{ text: 'A backup ran.', trial_id: null, t_s: null }]);
    await waitFor(() => expect(screen.queryByRole('dialog')).not.toBeInTheDocument());
  });

  it('are written on a trial and on a moment of it, by keys', async () => {
    const { user, server } = showRunPage(aRun(), { [ADD]: aNote() }, '?view=trial');
    await user.click(await screen.findByRole('button', { name: 'Add a note on this trial' }));
    const form = await dialog('Add a note');
    expect(form.getByRole('combobox', { name: 'On' })).toHaveValue('reuseport, block 1');
    await choose(user, 'On', 'accept_mutex on, block 2');
    await user.type(form.getByRole('textbox', { name: 'Moment (optional)' }), '2.5');
    await user.type(form.getByRole('textbox', { name: 'Note' }), 'The dip.{Tab}');
    await user.click(form.getByRole('button', { name: 'Add the note' }));
    await waitFor(() =>
      expect(server.bodies(ADD)).toEqual([{ text: 'The dip.', trial_id: 'trial-3', t_s: 2.5 }]),
    );
  });

  it('keep what was written when the server refuses, and say why', async () => {
    const refusal = 'A run has at most 200 notes. Delete others first.';
    const { user } = showRunPage(aRun(), { [ADD]: problem(409, refusal) });
    await user.click(await screen.findByRole('button', { name: 'Add a note' }));
    const form = await dialog('Add a note');
    await user.type(form.getByRole('textbox', { name: 'Note' }), 'One more.');
    await user.click(form.getByRole('button', { name: 'Add the note' }));
    expect(await form.findByRole('alert')).toHaveTextContent(refusal);
    expect(form.getByRole('textbox', { name: 'Note' })).toHaveValue('One more.');
  });

  it('are edited, and deleted after a question', async () => {
    const { user, server } = showRunPage(aRun(), {
      [NOTES]: [aNote()],
      'PATCH /notes/note-1': aNote(),
      'DELETE /notes/note-1': null,
    });
    await user.click((await list()).getByRole('button', { name: 'Edit note 1' }));
    const form = await dialog('Edit note 1: Whole run');
    const field = form.getByRole('textbox', { name: 'Note' });
    expect(field).toHaveValue('A backup ran.');
    await user.clear(field);
    await user.type(field, 'No backup ran.');
    server.answer(NOTES, [aNote({ text: 'No backup ran.' })]);
    await user.click(form.getByRole('button', { name: 'Save' }));
    expect(await screen.findByText('No backup ran.')).toBeInTheDocument();
    expect(server.bodies('PATCH /notes/note-1')).toEqual([{ text: 'No backup ran.' }]);
    await user.click((await list()).getByRole('button', { name: 'Delete note 1' }));
    server.answer(NOTES, []);
    await user.click((await dialog('Delete note 1?')).getByRole('button', { name: 'Delete the note' }));
    expect(await screen.findByText(/Nobody has written a note/)).toBeInTheDocument();
    expect(server.to('DELETE /notes/note-1')).toHaveLength(1);
  });

  it('say that they could not be loaded', async () => {
    const { user, server } = showRunPage(aRun(), { [NOTES]: problem(500, 'The database is away.') });
    const alert = within(await screen.findByRole('alert'));
    expect(alert.getByText('The database is away.')).toBeInTheDocument();
    server.answer(NOTES, [aNote()]);
    await user.click(alert.getByRole('button', { name: 'Try again' }));
    expect((await list()).getByText('A backup ran.')).toBeInTheDocument();
  });
});
