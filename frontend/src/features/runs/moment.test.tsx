import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aRun } from '@/test/fixtures';
import { problem } from '@/test/server';
import { RATE, showRunPage } from './showRunPage.testdata';

const MOMENT = 'GET /trials/trial-2/moment';
const reload = {
  perturbation: 'reload',
  action: 'reload',
  number: 3,
  t_s: 1.4,
  ended_s: 1.6,
  ok: true,
  skipped: false,
  status: null,
  detail: '',
  host: 'web',
};
const found = {
  trial_id: 'trial-2',
  from_s: -0.5,
  to_s: 3.5,
  actions: [reload],
  events: [
    { kind: 'phase', t_s: 0, until_s: 0, host: 'web', text: 'the measured window began' },
    { kind: 'log', t_s: 1, until_s: 2, host: 'web', text: '[notice] 7#7: signal 1 (SIGHUP) received' },
  ],
  unknown: [],
  jumps: [{ key: RATE.key, label: 'wrk', unit: RATE.unit, t_s: 1.5, value: 12, usual: 1000 }],
};
const items = (dialog: HTMLElement, name: string) =>
  within(within(dialog).getByRole('region', { name }))
    .queryAllByRole('listitem')
    .map(({ textContent }) => textContent.replace(/\s+/g, ' '));

describe('A pinned moment of a trial', () => {
  it('leads by keys to what happened then, by time, and to what stood out', async () => {
    const { user, server } = showRunPage(aRun(), { [MOMENT]: found }, '?view=trial&pin=1.5');
    const button = await screen.findByRole('button', { name: 'What happened then' });
    button.focus();
    await user.keyboard('{Enter}');
    const dialog = await screen.findByRole('dialog', { name: /^Around 1\.5\ss$/ });
    await within(dialog).findByText('reload 3 took 200 ms');
    expect(items(dialog, 'What was reported')).toEqual([
      '0 sthe measured window began',
      '1 s to 2 s[notice] 7#7: signal 1 (SIGHUP) received',
      '1.4 sreload 3 took 200 ms',
    ]);
    expect(items(dialog, 'What stood out')).toEqual([
      '1.5 sRequests per second: wrk12 req/s, else 1,000 req/s',
    ]);
    expect(server.to(MOMENT)).toHaveLength(1);
  });

  it('says that nothing happened, and why it is not known', async () => {
    const nothing = { ...found, actions: [], events: [], jumps: [] };
    const { user, server } = showRunPage(aRun(), { [MOMENT]: problem(500, 'Away.') }, '?view=trial&pin=1');
    await user.click(await screen.findByRole('button', { name: 'What happened then' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText('Away.')).toBeVisible();
    server.answer(MOMENT, nothing);
    await user.click(dialog.getByRole('button', { name: 'Try again' }));
    expect(await dialog.findByText('Nothing was.')).toBeVisible();
    expect(dialog.getByText('No line of a chart did.')).toBeVisible();
  });

  it('does not say that nothing was where that is not known', async () => {
    const unknown = ["nginx's error log on web comes as the trial ends"];
    const nothing = { ...found, actions: [], events: [], unknown, jumps: [] };
    const { user } = showRunPage(aRun(), { [MOMENT]: nothing }, '?view=trial&pin=1');
    await user.click(await screen.findByRole('button', { name: 'What happened then' }));
    const dialog = within(await screen.findByRole('dialog'));
    expect(await dialog.findByText('Nothing, as far as is known.')).toBeVisible();
    expect(dialog.getByText("nginx's error log on web comes as the trial ends")).toBeVisible();
    expect(dialog.queryByText('Nothing was.')).not.toBeInTheDocument();
  });

  it('is of one trial: of arms overlaid there is none', async () => {
    showRunPage(aRun(), {}, '?view=arms&pin=1');
    expect(await screen.findByText(/Pinned/)).toBeVisible();
    expect(screen.queryByRole('button', { name: 'What happened then' })).not.toBeInTheDocument();
  });
});
