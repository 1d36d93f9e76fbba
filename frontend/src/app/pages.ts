import type { QueryClient } from '@tanstack/react-query';
import type { ComponentType } from 'react';
import { createContext, type LoaderFunctionArgs, type RouteObject, redirect } from 'react-router';
import { meQuery } from '@/api/session';
import LoginPage from '@/features/auth/LoginPage';
import { loadTexts } from '@/lib/language/texts';
import { arrived } from '@/lib/release';
import { FramedError, NotFoundPage } from './RouteError';

type Load = () => Promise<{ default: ComponentType }>;

/**
 * A page whose code and texts, which are in the catalogs of its feature and of what the server says, arrive when its
 * address is visited.
 */
function page(path: string | undefined, catalog: string, load: Load, ...more: string[]) {
  const lazy = async () => {
    const texts = loadTexts('shared', 'server/results', catalog, ...more);
    const [{ default: Component }] = await arrived(() => Promise.all([load(), texts]));
    return { Component };
  };
  return { path, lazy };
}

export const answers = createContext<QueryClient>();

/** The report is asked for while its page's code is on its way; the page says what fails. */
async function askForReport({ params: { runId = '' }, context }: LoaderFunctionArgs): Promise<null> {
  const client = context.get(answers);
  const code = arrived(() => import('@/api/runs'));
  if (await client.ensureQueryData(meQuery))
    void client.ensureQueryData((await code).reportQuery(runId)).catch(() => null);
  return null;
}

export const OPEN_PAGES: RouteObject[] = [
  // At once: no page is opened first as often, and most of what it needs is needed everywhere.
  { path: '/login', Component: LoginPage },
  page('/new-password', 'app', () => import('@/features/auth/NewPasswordPage')),
  page('/new-passkey', 'app', () => import('@/features/auth/NewPasskeyPage')),
  page('/shared/:token', 'reports', () => import('@/features/reports/sharing/SharedReportPage')),
  page('/shared/:token/comparison', 'compare', () => import('@/features/compare/SharedComparisonPage')),
  {
    ...page(
      '/shared/:token/charts/:chart',
      'reports',
      () => import('@/features/reports/embed/EmbeddedChartPage'),
    ),
    ErrorBoundary: FramedError,
  },
  page('/sample', 'reports', () => import('@/features/reports/sharing/SamplePage')),
  page('/shared/:token/trends', 'trends', () => import('@/features/trends/SharedTrendsPage')),
];

/** Pages inside the shell, for people who are signed in. */
export const PAGES: RouteObject[] = [
  { index: true, loader: () => redirect('/experiments') },
  page('experiments', 'experiments', () => import('@/features/experiments/ExperimentsPage'), 'server/forms'),
  page('experiments/new', 'templates', () => import('@/features/templates/GalleryPage'), 'server/forms'),
  page(
    'experiments/new/recipes/:recipeKey',
    'templates',
    () => import('@/features/templates/recipes/RecipePage'),
    'server/forms',
  ),
  page(
    'experiments/new/own',
    'templates',
    () => import('@/features/templates/own/OwnConfigurationPage'),
    'server/definitions',
  ),
  page(
    'experiments/new/:templateKey',
    'templates',
    () => import('@/features/templates/TemplatePage'),
    'server/forms',
    'server/definitions',
  ),
  page('experiments/:experimentId', 'experiments', () => import('@/features/experiments/ExperimentPage')),
  page('experiments/:experimentId/trends', 'trends', () => import('@/features/trends/TrendsPage')),
  {
    // One page for both, so that the first save of a new experiment continues in the same editor.
    ...page(undefined, 'designer', () => import('@/features/designer/DesignerPage'), 'server/definitions'),
    children: [
      { path: 'experiments/new/blank', element: null },
      { path: 'experiments/:experimentId/design', element: null },
    ],
  },
  page('runs', 'runs', () => import('@/features/runs/RunsPage')),
  page('runs/:runId', 'runs', () => import('@/features/runs/live/RunPage')),
  {
    ...page('runs/:runId/report', 'reports', () => import('@/features/reports/ReportPage')),
    loader: askForReport,
  },
  page('compare', 'compare', () => import('@/features/compare/ComparePage')),
  page('hosts', 'hosts', () => import('@/features/hosts/HostsPage')),
  page('hosts/:hostId', 'hosts', () => import('@/features/hosts/HostPage')),
  page('audit', 'audit', () => import('@/features/audit/AuditPage')),
  page('storage', 'storage', () => import('@/features/storage/StoragePage')),
  page('people', 'people', () => import('@/features/people/PeoplePage')),
  page('people/:accountId', 'people', () => import('@/features/people/PersonPage')),
  page('account', 'account', () => import('@/features/account/AccountPage')),
  page('api-docs', 'api-docs', () => import('@/features/api-docs/ApiDocsPage')),
  { path: '*', Component: NotFoundPage },
];
