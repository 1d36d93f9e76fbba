import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { createContext, type LoaderFunctionArgs, type RouteObject, redirect } from 'react-router';
import { reportQuery } from '@/api/runs';
import { meQuery } from '@/api/session';
import LoginPage from '@/features/auth/LoginPage';
import { loadTexts } from '@/lib/language/texts';
import { arrived } from '@/lib/release';
import { FramedError, NotFoundPage } from './RouteError';

/**
 * A page whose code and texts, which are in the catalogs of its feature and of what the server says, arrive when its
 * address is visited.
 */
function page(catalog: string, load: () => Promise<{ default: ComponentType }>, ...more: string[]) {
  return async () => {
    const texts = loadTexts('shared', 'server/results', catalog, ...more);
    const [{ default: Component }] = await arrived(() => Promise.all([load(), texts]));
    return { Component };
  };
}

export const answers = createContext<QueryClient>();

/** The report is asked for while its page's code is on its way; the page says what fails. */
async function askForReport({ params: { runId = '' }, context }: LoaderFunctionArgs): Promise<null> {
  const client = context.get(answers);
  if (await client.ensureQueryData(meQuery))
    void client.ensureQueryData(reportQuery(runId)).catch(() => null);
  return null;
}

export const OPEN_PAGES: RouteObject[] = [
  // At once: no page is opened first as often, and most of what it needs is needed everywhere.
  { path: '/login', Component: LoginPage },
  { path: '/new-password', lazy: page('app', () => import('@/features/auth/NewPasswordPage')) },
  {
    path: '/shared/:token',
    lazy: page('reports', () => import('@/features/reports/sharing/SharedReportPage')),
  },
  {
    path: '/shared/:token/comparison',
    lazy: page('compare', () => import('@/features/compare/SharedComparisonPage')),
  },
  {
    path: '/shared/:token/charts/:chart',
    lazy: page('reports', () => import('@/features/reports/embed/EmbeddedChartPage')),
    ErrorBoundary: FramedError,
  },
  { path: '/shared/:token/trends', lazy: page('trends', () => import('@/features/trends/SharedTrendsPage')) },
];

/** Pages inside the shell, for people who are signed in. */
export const PAGES: RouteObject[] = [
  { index: true, loader: () => redirect('/experiments') },
  { path: 'experiments', lazy: page('experiments', () => import('@/features/experiments/ExperimentsPage')) },
  {
    path: 'experiments/new',
    lazy: page('templates', () => import('@/features/templates/GalleryPage'), 'server/forms'),
  },
  {
    path: 'experiments/new/:templateKey',
    lazy: page('templates', () => import('@/features/templates/TemplatePage'), 'server/forms'),
  },
  {
    path: 'experiments/:experimentId',
    lazy: page('experiments', () => import('@/features/experiments/ExperimentPage')),
  },
  {
    path: 'experiments/:experimentId/trends',
    lazy: page('trends', () => import('@/features/trends/TrendsPage')),
  },
  {
    // One page for both, so that the first save of a new experiment continues in the same editor.
    lazy: page('designer', () => import('@/features/designer/DesignerPage')),
    children: [
      { path: 'experiments/new/blank', element: null },
      { path: 'experiments/:experimentId/design', element: null },
    ],
  },
  { path: 'runs', lazy: page('runs', () => import('@/features/runs/RunsPage')) },
  { path: 'runs/:runId', lazy: page('runs', () => import('@/features/runs/live/RunPage')) },
  {
    path: 'runs/:runId/report',
    loader: askForReport,
    lazy: page('reports', () => import('@/features/reports/ReportPage')),
  },
  { path: 'compare', lazy: page('compare', () => import('@/features/compare/ComparePage')) },
  { path: 'hosts', lazy: page('hosts', () => import('@/features/hosts/HostsPage')) },
  { path: 'hosts/:hostId', lazy: page('hosts', () => import('@/features/hosts/HostPage')) },
  { path: 'audit', lazy: page('audit', () => import('@/features/audit/AuditPage')) },
  { path: 'storage', lazy: page('storage', () => import('@/features/storage/StoragePage')) },
  { path: 'people', lazy: page('people', () => import('@/features/people/PeoplePage')) },
  { path: 'people/:accountId', lazy: page('people', () => import('@/features/people/PersonPage')) },
  { path: 'account', lazy: page('account', () => import('@/features/account/AccountPage')) },
  { path: 'api-docs', lazy: page('api-docs', () => import('@/features/api-docs/ApiDocsPage')) },
  { path: '*', Component: NotFoundPage },
];
