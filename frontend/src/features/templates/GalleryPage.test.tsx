import { screen } from '@testing-library/react';
import { describe, expect, it } from 'vitest';
import { aRecipe } from '@/components/recipes/recipe.testdata';
import { aPage } from '@/test/fixtures';
import { problem, serve } from '@/test/server';
import { show } from '@/test/show';
import GalleryPage from './GalleryPage';
import { aTemplateSummary } from './template.testdata';

describe('GalleryPage', () => {
  it('leads to open designs, to each question, and to the articles last', async () => {
    const other = aTemplateSummary({ key: 'thread-pools', title: 'Thread pools' });
    serve({ 'GET /templates': [aTemplateSummary(), other], 'GET /recipes': aPage([aRecipe()]) });
    show(<GalleryPage />);
    const first = await screen.findByRole('link', { name: /^Socket sharding/ });
    expect(first).toHaveTextContent('Does reuseport serve more requests?');
    expect(first).toHaveTextContent('After An article, 2015');
    await screen.findByRole('link', { name: /gzip/ });
    const cards = screen.getAllByRole('link').map((link) => link.getAttribute('href'));
    expect(cards).toEqual([
      '/experiments',
      '/experiments/new/own',
      '/experiments/new/blank?compare=builds',
      '/experiments/new/blank',
      '/experiments/new/recipes/gzip-levels',
      '/experiments/new/reuseport',
      '/experiments/new/thread-pools',
    ]);
  });

  it('shows what went wrong, and tries again when asked', async () => {
    const server = serve({
      'GET /templates': problem(500, 'The database is away.'),
      'GET /recipes': aPage([]),
    });
    const { user } = show(<GalleryPage />);
    expect(await screen.findByRole('alert')).toHaveTextContent('The database is away.');
    server.answer('GET /templates', [aTemplateSummary()]);
    await user.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: /^Socket sharding/ })).toBeInTheDocument();
  });
});
