import { t } from '@lingui/core/macro';
import { useEffect } from 'react';
import { isRouteErrorResponse, useRouteError } from 'react-router';
import { PageProblem, ProblemNotice } from '@/components/ui/ProblemNotice';
import { ApiProblem } from '@/lib/problem';
import { isOutdated, MissingCode } from '@/lib/release';
import { usePageTitle } from '@/lib/usePageTitle';
import { SystemNotice } from './shell/SystemNotice';

const home = () => ({ label: t`Go to experiments`, to: '/experiments' });
const unknown = () =>
  new ApiProblem({
    status: 404,
    title: t`Page not found`,
    detail: t`The address may be wrong, or the page may have been removed.`,
    code: 'not-found',
  });
const reload = () => window.location.reload();

export function NotFoundPage() {
  usePageTitle(t`Not found`);
  return <PageProblem error={unknown()} wayOut={home()} />;
}

/** A page of another version is there once all is loaded anew: the reader has left the page before, so nothing is lost. */
function useReloadIfOutdated(error: unknown): void {
  useEffect(() => {
    if (!(error instanceof MissingCode)) return;
    void isOutdated().then(
      (outdated) => outdated && reload(),
      () => {}, // the server cannot be reached, which the page says
    );
  }, [error]);
}

/** A page that could not be loaded or drawn, within what stands around all pages. */
export function PageError() {
  const error = useRouteError();
  useReloadIfOutdated(error);
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />;
  return <PageProblem error={error} wayOut={home()} retry={reload} retryLabel={t`Reload`} />;
}

/** The same where nothing stands around it. */
export function RouteError() {
  return (
    <main style={{ padding: 24 }}>
      <SystemNotice />
      <PageError />
    </main>
  );
}

/** The same in a page that others may frame: it leads nowhere. */
export function FramedError() {
  const error = useRouteError();
  useReloadIfOutdated(error);
  return <ProblemNotice error={error} retry={reload} />;
}
