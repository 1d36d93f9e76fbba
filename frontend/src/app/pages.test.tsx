import { MantineProvider } from '@mantine/core';
import { ModalsProvider } from '@mantine/modals';
import { QueryClientProvider } from '@tanstack/react-query';
import { render, screen, waitFor } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import {
  createMemoryRouter,
  createStaticHandler,
  matchRoutes,
  type RouteObject,
  RouterContextProvider,
  RouterProvider,
} from 'react-router';
import { beforeEach, describe, expect, it } from 'vitest';
import { type ExperimentDetail, getReportQueryKey } from '@/api/generated';
import { meKey } from '@/api/session';
import { aReport } from '@/features/reports/report.testdata';
import { aMe, anExperiment } from '@/test/fixtures';
import { type Sent, serve } from '@/test/server';
import { answers, PAGES } from './pages';
import { createQueryClient } from './queryClient';

const PREVIEW = {
  problems: [],
  definition: null,
  baseline: null,
  matrix: [],
  arms: [],
  plan: null,
  slots: [],
};
const save = ({ body }: Sent) =>
  anExperiment({ id: 'saved', ...(body as Pick<ExperimentDetail, 'name' | 'definition'>) });

function open(address: string) {
  const queryClient = createQueryClient();
  queryClient.setQueryData(meKey, aMe());
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

describe('pages', () => {
  beforeEach(() => sessionStorage.clear());

  it('have one address each', () => {
    const paths = pathsOf(PAGES);
    expect(paths).toEqual([...new Set(paths)]);
  });

  it('ask for a report, of who is signed in, while its code is on its way', async () => {
    const server = serve({ 'GET /runs/run-1/report': aReport() });
    const queryClient = createQueryClient();
    const context = new RouterContextProvider(new Map([[answers, queryClient]]));
    queryClient.setQueryData(meKey, null);
    await createStaticHandler(PAGES).query(new Request('http://lab/runs/run-1/report'), {
      requestContext: context,
    });
    expect(server.to('GET /runs/run-1/report')).toHaveLength(0);
    queryClient.setQueryData(meKey, aMe());
    await createStaticHandler(PAGES).query(new Request('http://lab/runs/run-1/report'), {
      requestContext: context,
    });
    await waitFor(() =>
      expect(queryClient.getQueryData(getReportQueryKey({ path: { run_id: 'run-1' } }))).toBeDefined(),
    );
    expect(server.to('GET /runs/run-1/report')).toHaveLength(1);
  });

  it('share one designer between a new experiment and a saved one', () => {
    const [blank, saved] = ['/experiments/new/blank', '/experiments/some/design'].map((address) =>
      matchRoutes(PAGES, address)?.at(0),
    );
    expect(blank?.route.lazy).toBeDefined();
    expect(blank?.route).toBe(saved?.route);
  });

  it('keep the editor as it is when a new experiment is saved for the first time', async () => {
    serve({
      'POST /experiments/preview': PREVIEW,
      'POST /experiments': save,
      'POST /experiments/saved/editors': { version: 1, saved_at: '', saved_by: '', now: '', others: [] },
      'GET /hosts': [],
    });
    const router = open('/experiments/new/blank');
    const name = await screen.findByLabelText('Name');
    await userEvent.type(name, 'Keep-alive or not');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/experiments/saved/design'));
    expect(screen.getByLabelText('Name')).toBe(name);
    expect(name).toHaveValue('Keep-alive or not');
  });

  it.each(PAGES.flatMap(({ path, lazy }) => (path && lazy ? [path] : [])))(
    'are there to be opened: %s',
    async (path) => {
      const { lazy } = PAGES.find((page) => page.path === path) as { lazy: () => Promise<object> };
      expect(await lazy()).toHaveProperty('Component', expect.any(Function));
    },
  );
});
