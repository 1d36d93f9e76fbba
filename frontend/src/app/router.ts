import type { QueryClient } from '@tanstack/react-query';
import { createBrowserRouter, type LoaderFunctionArgs, RouterContextProvider, redirect } from 'react-router';
import { meQuery } from '@/api/session';
import { followLanguage, loadTexts } from '@/lib/language/texts';
import { arrived } from '@/lib/release';
import { answers, OPEN_PAGES, PAGES } from './pages';
import { PageError, RouteError } from './RouteError';
import { PageLoading } from './shell/PageLoading';

/** Its menus and drawers arrive once somebody is to see them: the sign-in page does without. */
const shell = async () => {
  const [{ Shell }] = await arrived(() => Promise.all([import('./shell/Shell'), loadTexts('shared')]));
  return { Component: Shell };
};

export function createRouter(queryClient: QueryClient) {
  /** Pages of the shell are for people who are signed in; others sign in first and come back. */
  async function requireAccount({ request }: LoaderFunctionArgs) {
    const me = await queryClient.ensureQueryData(meQuery);
    if (me?.language) await followLanguage(me.language);
    if (me) return null;
    const { pathname, search } = new URL(request.url);
    const hash = window.location.pathname === pathname ? window.location.hash : ''; // requests have none
    const target = pathname === '/' ? '' : `?next=${encodeURIComponent(pathname + search + hash)}`;
    throw redirect(`/login${target}`);
  }

  const inShell = { ErrorBoundary: PageError, children: PAGES };
  const routes = [
    {
      ErrorBoundary: RouteError,
      HydrateFallback: PageLoading,
      children: [...OPEN_PAGES, { lazy: shell, loader: requireAccount, children: [inShell] }],
    },
  ];
  return createBrowserRouter(routes, {
    getContext: () => new RouterContextProvider(new Map([[answers, queryClient]])),
  });
}
