import { screen, within } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aPage } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import { RecipeGallery } from './RecipeGallery';
import { aRecipe, LUA } from './recipe.testdata';

const LIST = 'GET /recipes';
const CACHE = {
  key: 'proxy-cache',
  title: 'A cache',
  question: 'How much does proxy_cache take off?',
  expectation: 'Much.',
  kind: 'caching',
  words: ['hit ratio'],
  shown: null,
} as const;

describe('RecipeGallery', () => {
  it('leads from a question to its page, with its duration, what fits, and what it showed', async () => {
    serve({ [LIST]: aPage([aRecipe()]) });
    show(<RecipeGallery />);
    const card = await screen.findByRole('link', { name: /What does gzip cost/ });
    expect(card).toHaveAttribute('href', '/experiments/new/recipes/gzip-levels');
    expect(card).toHaveTextContent('1 min 40 s');
    expect(card).toHaveTextContent('fits bench');
    const picture = within(card).getByRole('figure', { name: 'Size of a response, as last recorded' });
    expect(picture).toHaveTextContent(/off30/);
    expect(picture).toHaveTextContent(/level 610/);
  });

  it('finds questions by all words, and says where none is about them', async () => {
    serve({ [LIST]: aPage([aRecipe(), aRecipe({ ...CACHE, words: [...CACHE.words] })]) });
    const { user, address } = show(<RecipeGallery />);
    await screen.findByRole('link', { name: /proxy_cache/ });
    const search = screen.getByRole('searchbox', { name: 'Search questions' });
    await user.type(search, 'HIT caching');
    expect(await screen.findByText('1 question')).toBeInTheDocument();
    expect(screen.getAllByRole('link')).toHaveLength(1);
    expect(address()).toBe('/?about=HIT+caching');
    await user.type(search, ' gzip');
    expect(await screen.findByText(/No question is about these words/)).toBeInTheDocument();
  });

  it('says what no host has', async () => {
    const lacking = [{ host_id: 'host-1', host: 'bench', fits: false, lacks: [LUA] }];
    serve({ [LIST]: aPage([aRecipe({ hosts: lacking }), aRecipe({ key: 'other', hosts: [] })]) });
    show(<RecipeGallery />);
    const [first, second] = await screen.findAllByRole('link');
    expect(first).toHaveTextContent('no host has: an nginx with http_lua_module');
    expect(second).toHaveTextContent('no host yet');
  });

  it('shows what went wrong', async () => {
    serve({ [LIST]: problem(500, 'The database is away.') });
    show(<RecipeGallery />);
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away.');
  });
});
