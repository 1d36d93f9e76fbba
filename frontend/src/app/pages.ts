import type { ComponentType } from 'react';
import { type RouteObject, redirect } from 'react-router';
import LoginPage from '@/features/auth/LoginPage';
import { arrived } from '@/lib/release/missingCode';
import { FramedError, NotFoundPage } from './RouteError';

/** A page whose code arrives when its address is visited. */
function page(load: () => Promise<{ default: ComponentType }>) {
  return async () => ({ Component: (await arrived(load)).default });
}

/** Pages that anybody may open. */
export const OPEN_PAGES: RouteObject[] = [
  // At once: no page is opened first as often, and most of what it needs is needed everywhere.
  { path: '/login', Component: LoginPage },
  { path: '/new-password', lazy: page(() => import('@/features/auth/NewPasswordPage')) },
  { path: '/shared/:token', lazy: page(() => import('@/features/reports/sharing/SharedReportPage')) },
  {
    path: '/shared/:token/comparison',
    lazy: page(() => import('@/features/compare/SharedComparisonPage')),
  },
  {
    path: '/shared/:token/charts/:chart',
    lazy: page(() => import('@/features/reports/embed/EmbeddedChartPage')),
    ErrorBoundary: FramedError,
  },
  { path: '/shared/:token/trends', lazy: page(() => import('@/features/trends/SharedTrendsPage')) },
];

/** Pages inside the shell, for people who are signed in. */
export const PAGES: RouteObject[] = [
  { index: true, loader: () => redirect('/experiments') },
  { path: 'experiments', lazy: page(() => import('@/features/experiments/ExperimentsPage')) },
  { path: 'experiments/new', lazy: page(() => import('@/features/templates/GalleryPage')) },
  { path: 'experiments/new/:templateKey', lazy: page(() => import('@/features/templates/TemplatePage')) },
  { path: 'experiments/:experimentId', lazy: page(() => import('@/features/experiments/ExperimentPage')) },
  { path: 'experiments/:experimentId/trends', lazy: page(() => import('@/features/trends/TrendsPage')) },
  {
    // One page for both, so that the first save of a new experiment continues in the same editor.
    lazy: page(() => import('@/features/designer/DesignerPage')),
    children: [
      { path: 'experiments/new/blank', element: null },
      { path: 'experiments/:experimentId/design', element: null },
    ],
  },
  { path: 'runs', lazy: page(() => import('@/features/runs/RunsPage')) },
  { path: 'runs/:runId', lazy: page(() => import('@/features/runs/live/RunPage')) },
  { path: 'runs/:runId/report', lazy: page(() => import('@/features/reports/ReportPage')) },
  { path: 'compare', lazy: page(() => import('@/features/compare/ComparePage')) },
  { path: 'hosts', lazy: page(() => import('@/features/hosts/HostsPage')) },
  { path: 'hosts/:hostId', lazy: page(() => import('@/features/hosts/HostPage')) },
  { path: 'audit', lazy: page(() => import('@/features/audit/AuditPage')) },
  { path: 'storage', lazy: page(() => import('@/features/storage/StoragePage')) },
  { path: 'people', lazy: page(() => import('@/features/people/PeoplePage')) },
  { path: 'people/:accountId', lazy: page(() => import('@/features/people/PersonPage')) },
  { path: 'account', lazy: page(() => import('@/features/account/AccountPage')) },
  { path: 'api-docs', lazy: page(() => import('@/features/api-docs/ApiDocsPage')) },
  { path: '*', Component: NotFoundPage },
];
