import { screen, within } from '@testing-library/react';
import { expect, it, onTestFinished } from 'vitest';
import { serve } from '@/test/server';
import { show } from '@/test/show';
import { ReadOnlyFrame } from './ReadOnlyFrame';

it('offers a newer version to readers of a link, too', async () => {
  document.head.innerHTML = '<script type="module" src="/assets/index-1.js"></script>';
  onTestFinished(() => document.head.replaceChildren());
  serve({ 'GET /login': () => new Response('<script type="module" src="/assets/index-2.js"></script>') });
  show(<ReadOnlyFrame>The report</ReadOnlyFrame>, { role: null });
  const notice = await screen.findByRole('status');
  expect(notice).toHaveTextContent('A newer version of ngxlab was installed.');
  expect(within(notice).getByRole('button', { name: 'Reload' })).toBeVisible();
  expect(screen.getByText('The report')).toBeVisible();
});
