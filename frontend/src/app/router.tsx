import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { createBrowserRouter, type LoaderFunctionArgs, redirect } from 'react-router';
import { meQuery } from '@/api/useMe';
import { NotFoundPage, RouteError } from './RouteError';
import { PageLoading } from './shell/PageLoading';
import { Shell } from './shell/Shell';

/** A page whose code arrives when its route is visited. */
function page(load: () => Promise<{ default: ComponentType }>) {
  return async () => ({ Component: (await load()).default });
}

export function createRouter(queryClient: QueryClient) {
  /** Pages of the shell are for people who are signed in; others sign in first and come back. */
  async function requireAccount({ request }: LoaderFunctionArgs) {
    const me = await queryClient.ensureQueryData(meQuery);
    if (me) return null;
    const { pathname, search } = new URL(request.url);
    const target = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search)}`;
    throw redirect(`/login${target}`);
  }

  return createBrowserRouter([
    {
      ErrorBoundary: RouteError,
      HydrateFallback: PageLoading,
      children: [
        { path: '/login', lazy: page(() => import('@/features/auth/LoginPage')) },
        { path: '/shared/:token', lazy: page(() => import('@/features/reports/sharing/SharedReportPage')) },
        {
          Component: Shell,
          loader: requireAccount,
          children: [
            {
              ErrorBoundary: RouteError,
              children: [
                { index: true, loader: () => redirect('/experiments') },
                { path: 'experiments', lazy: page(() => import('@/features/experiments/ExperimentsPage')) },
                { path: 'experiments/new', lazy: page(() => import('@/features/templates/GalleryPage')) },
                {
                  path: 'experiments/new/blank',
                  lazy: page(() => import('@/features/designer/DesignerPage')),
                },
                {
                  path: 'experiments/new/:templateKey',
                  lazy: page(() => import('@/features/templates/TemplatePage')),
                },
                {
                  path: 'experiments/:experimentId',
                  lazy: page(() => import('@/features/experiments/ExperimentPage')),
                },
                {
                  // One page for both, so that a first save goes on in the same editor.
                  lazy: page(() => import('@/features/designer/DesignerPage')),
                  children: [{ path: 'experiments/new/blank' }, { path: 'experiments/:experimentId/design' }],
                },
                { path: 'runs', lazy: page(() => import('@/features/runs/RunsPage')) },
                { path: 'runs/:runId', lazy: page(() => import('@/features/runs/live/RunPage')) },
                { path: 'runs/:runId/report', lazy: page(() => import('@/features/reports/ReportPage')) },
                { path: 'hosts', lazy: page(() => import('@/features/hosts/HostsPage')) },
                { path: 'hosts/:hostId', lazy: page(() => import('@/features/hosts/HostPage')) },
                { path: 'account', lazy: page(() => import('@/features/account/AccountPage')) },
                { path: '*', Component: NotFoundPage },
              ],
            },
          ],
        },
      ],
    },
  ]);
}
