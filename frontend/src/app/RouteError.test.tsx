import { MantineProvider } from '@mantine/core';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, type RouteObject, RouterProvider } from 'react-router';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { arrived } from '@/lib/release';
import { serve } from '@/test/server';
import { NotFoundPage, PageError } from './RouteError';

const reload = vi.fn();

function open(page: RouteObject) {
  const routes = [
    { ErrorBoundary: PageError, HydrateFallback: () => null, children: [{ path: '/broken', ...page }] },
    { path: '/experiments', element: 'All experiments' },
  ];
  const router = createMemoryRouter(routes, { initialEntries: ['/broken'] });
  render(
    <MantineProvider env="test">
      <RouterProvider router={router} />
    </MantineProvider>,
  );
  return router;
}

const gone = () => arrived<{ Component: () => null }>(() => Promise.reject(new TypeError('Failed to fetch')));

describe('a page that cannot be shown', () => {
  beforeEach(() => {
    vi.spyOn(console, 'error').mockImplementation(() => {});
    vi.stubGlobal('location', { ...window.location, reload });
    reload.mockClear();
  });
  afterEach(() => {
    vi.unstubAllGlobals();
    document.head.replaceChildren();
  });

  it('says so and leads on where its address is unknown', async () => {
    const router = open({ Component: NotFoundPage });
    expect(await screen.findByRole('heading', { level: 1, name: 'Page not found' })).toBeVisible();
    expect(screen.queryByRole('button')).toBeNull();
    await userEvent.click(screen.getByRole('link', { name: 'Go to experiments' }));
    expect(router.state.location.pathname).toBe('/experiments');
  });

  it('can be loaded anew or left where it broke', async () => {
    open({
      Component: () => {
        throw new Error('x is undefined');
      },
    });
    expect(await screen.findByRole('alert')).toHaveTextContent('x is undefined');
    expect(screen.getByRole('link', { name: 'Go to experiments' })).toBeVisible();
    await userEvent.click(screen.getByRole('button', { name: 'Reload' }));
    expect(reload).toHaveBeenCalledOnce();
  });

  it('is loaded from the new version after an upgrade', async () => {
    document.head.innerHTML = '<script type="module" src="/assets/index-1.js"></script>';
    serve({ 'GET /login': () => new Response('<script type="module" src="/assets/index-2.js"></script>') });
    open({ lazy: gone });
    await waitFor(() => expect(reload).toHaveBeenCalledOnce());
  });

  it('waits for its reader where the server has no other version', async () => {
    document.head.innerHTML = '<script type="module" src="/assets/index-1.js"></script>';
    const server = serve({
      'GET /login': () => new Response('<script type="module" src="/assets/index-1.js"></script>'),
    });
    open({ lazy: gone });
    expect(await screen.findByRole('alert')).toHaveTextContent('the server cannot be reached');
    await waitFor(() => expect(server.to('GET /login')).toHaveLength(1));
    expect(reload).not.toHaveBeenCalled();
  });
});
