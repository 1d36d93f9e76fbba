import { screen, waitFor } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aRecipeDetail, LUA } from '@/components/recipes/recipe.testdata';
import { aHostRow, anExperiment, aPage, aRun } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import RecipePage from './RecipePage';

const RECIPE = 'GET /recipes/gzip-levels';
const HOSTS = 'GET /hosts';
const CREATE = 'POST /experiments';
const path = '/experiments/new/recipes/:recipeKey';
const at = '/experiments/new/recipes/gzip-levels';

const host = aHostRow({ id: 'host-1', name: 'bench', state: 'idle' });

function open(changes = {}, role: 'experimenter' | 'viewer' = 'experimenter') {
  const server = serve({ [RECIPE]: aRecipeDetail(changes), [HOSTS]: aPage([host]) });
  return { server, ...show(<RecipePage />, { path, at, role }) };
}

describe('RecipePage', () => {
  it('asks the question with one press: the experiment is saved and its run started', async () => {
    const { server, user, address } = open();
    const experiment = anExperiment({ id: 'made' });
    server.answer(CREATE, experiment);
    server.answer('POST /experiments/made/runs', aRun({ id: 'run-9' }));
    const button = await screen.findByRole('button', { name: 'Run' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await waitFor(() => expect(address()).toBe('/runs/run-9'));
    expect(server.to(CREATE)[0]?.body).toMatchObject({
      name: 'gzip levels',
      definition: aRecipeDetail().definition,
    });
  });

  it('leads to the saved experiment where its run cannot start', async () => {
    const { server, user, address } = open();
    server.answer(CREATE, anExperiment({ id: 'made' }));
    server.answer('POST /experiments/made/runs', problem(409, 'The host is away.'));
    const button = await screen.findByRole('button', { name: 'Run' });
    await waitFor(() => expect(button).toBeEnabled());
    await user.click(button);
    await waitFor(() => expect(address()).toBe('/experiments/made'));
  });

  it('leads to the designer with all of it', async () => {
    const { user, address } = open();
    await user.click(await screen.findByRole('button', { name: 'Change it first' }));
    expect(address()).toBe('/experiments/new/blank');
  });

  it('says what the chosen host lacks, and does not start there', async () => {
    const hosts = [{ host_id: 'host-1', host: 'bench', fits: false, lacks: [LUA] }];
    open({ needs: [LUA], hosts });
    expect(await screen.findByText('The host lacks a required capability; see above.')).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Run' })).toBeDisabled();
    expect(screen.getByRole('list', { name: 'Needs' })).toHaveTextContent('Install it.');
  });

  it('shows what should happen and what it showed, to those who may only look, too', async () => {
    open({}, 'viewer');
    expect(await screen.findByText('Pages are smaller.')).toBeInTheDocument();
    expect(screen.getByText(/level 6 against off:/)).toHaveTextContent('level 6 against off: −67 %');
    expect(screen.getByText('You need the experimenter role.')).toBeInTheDocument();
  });
});
