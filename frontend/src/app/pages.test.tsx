import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { createMemoryRouter, matchRoutes, type RouteObject, RouterProvider } from 'react-router';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { configureClient } from '@/api/client';
import { client } from '@/api/generated/client.gen';
import { queryKeys } from '@/api/queryKeys';
import { PAGES } from './pages';

const PREVIEW = {
  problems: [],
  definition: null,
  baseline: null,
  matrix: [],
  arms: [],
  plan: null,
  slots: [],
};

/** The network's edge: saves whatever it is given as version 1 of experiment "saved". */
async function answer(input: RequestInfo | URL): Promise<Response> {
  const request = input as Request;
  const { pathname } = new URL(request.url);
  if (pathname.endsWith('/experiments/preview')) return Response.json(PREVIEW);
  if (pathname.endsWith('/experiments') && request.method === 'POST') {
    const { name, definition } = await request.clone().json();
    return Response.json({ id: 'saved', version: 1, name, definition, runs: [], may_edit: true });
  }
  return Response.json([]);
}

function open(address: string) {
  const queryClient = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  queryClient.setQueryData(queryKeys.me, { account: { role: 'experimenter' }, csrf_token: 't' });
  const router = createMemoryRouter([{ HydrateFallback: () => null, children: PAGES }], {
    initialEntries: [address],
  });
  render(
    <MantineProvider env="test">
      <QueryClientProvider client={queryClient}>
        <ModalsProvider>
          <RouterProvider router={router} />
        </ModalsProvider>
      </QueryClientProvider>
    </MantineProvider>,
  );
  return router;
}

function pathsOf(routes: readonly RouteObject[]): string[] {
  return routes.flatMap(({ path, children = [] }) => [...(path ? [path] : []), ...pathsOf(children)]);
}

/** A slow machine fails no test. */
const PATIENCE = { timeout: 30_000 };

describe('pages', () => {
  beforeAll(async () => void (await import('@/features/designer/DesignerPage')));
  beforeEach(() => {
    sessionStorage.clear();
    vi.stubGlobal('fetch', answer);
    configureClient();
    client.setConfig({ baseUrl: 'http://server' });
    Element.prototype.scrollIntoView = vi.fn();
  });
  afterEach(() => void vi.unstubAllGlobals());

  it('have one address each', () => {
    const paths = pathsOf(PAGES);
    expect(paths).toEqual([...new Set(paths)]);
  });

  it('share one designer between a new experiment and a saved one', () => {
    const [blank, saved] = ['/experiments/new/blank', '/experiments/some/design'].map((address) =>
      matchRoutes(PAGES, address)?.at(0),
    );
    expect(blank?.route.lazy).toBeDefined();
    expect(blank?.route).toBe(saved?.route);
  });

  it('keep the editor as it is when a new experiment is saved for the first time', async () => {
    const router = open('/experiments/new/blank');
    const name = await screen.findByLabelText('Name', {}, PATIENCE);
    await userEvent.type(name, 'Keep-alive or not');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/experiments/saved/design'), PATIENCE);
    expect(screen.getByLabelText('Name')).toBe(name);
    expect(name).toHaveValue('Keep-alive or not');
  });
});
