import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import type { Role } from '@/api/generated';
import { aRecipe } from '@/components/recipes/recipe.testdata';
import { anExperimentSummary, aRunSummary } from '@/test/fixtures';
import { type Sent, serve } from '@/test/server';
import { show } from '@/test/show';
import { Palette } from './Palette';

const finding = ({ query }: Sent, name: string) =>
  name.toLowerCase().includes((query.search ?? '').toLowerCase());

function open(role: Role = 'experimenter') {
  const server = serve({
    'GET /experiments': (sent: Sent) =>
      Response.json({
        items: finding(sent, 'Keep-alive') ? [anExperimentSummary({ id: 'e1', name: 'Keep-alive' })] : [],
        next: null,
        total: 1,
      }),
    'GET /runs': (sent: Sent) =>
      Response.json({
        items: finding(sent, 'Sockets')
          ? [aRunSummary({ id: 'r1', experiment_name: 'Sockets', number: 4 })]
          : [],
        next: null,
        total: 1,
      }),
    'GET /recipes': [
      aRecipe({ key: 'gzip-levels', question: 'What does gzip cost, and what does it save?' }),
    ],
  });
  return { server, ...show(<Palette asked={1} />, { role }) };
}

describe('Palette', () => {
  it('has the cursor at once, and shows the newest and all actions without words', async () => {
    open();
    expect(await screen.findByRole('textbox', { name: 'Find or do' })).toHaveFocus();
    expect(await screen.findByRole('button', { name: /Keep-alive/ })).toBeVisible();
    expect(screen.getByRole('button', { name: /Sockets #4/ })).toBeVisible();
    expect(screen.getByRole('button', { name: 'New experiment' })).toBeVisible();
    expect(screen.queryByRole('button', { name: 'Go to storage' })).toBeNull();
  });

  it('finds by words, and goes there by the keyboard alone', async () => {
    const { user, address } = open();
    await user.type(await screen.findByRole('textbox', { name: 'Find or do' }), 'gzip');
    expect(await screen.findByRole('button', { name: /What does gzip cost/ })).toBeVisible();
    await waitFor(() => expect(screen.queryByRole('button', { name: /Keep-alive/ })).toBeNull());
    await user.keyboard('{ArrowDown}{Enter}');
    expect(address()).toBe('/experiments/new/recipes/gzip-levels');
  });

  it('says that nothing is found', async () => {
    const { user } = open();
    await user.type(await screen.findByRole('textbox', { name: 'Find or do' }), 'nothing of the kind');
    expect(await screen.findByText('Nothing found')).toBeVisible();
  });

  it('has what only administrators may do for them alone', async () => {
    open('administrator');
    expect(await screen.findByRole('button', { name: 'Go to storage' })).toBeVisible();
  });
});
