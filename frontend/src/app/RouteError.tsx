import { Button } from '@mantine/core';
import { isRouteErrorResponse, Link, useRouteError } from 'react-router';
import { EmptyState } from '@/components/ui/EmptyState';
import { ProblemNotice } from '@/components/ui/ProblemNotice';
import { usePageTitle } from '@/lib/usePageTitle';
import { SystemNotice } from './shell/SystemNotice';

export function NotFoundPage() {
  usePageTitle('Not found');
  return (
    <EmptyState
      title="Page not found"
      action={
        <Button component={Link} to="/experiments">
          Go to experiments
        </Button>
      }
    >
      The address may be wrong, or the page may have been removed.
    </EmptyState>
  );
}

/** A page that could not be loaded or drawn. */
export function RouteError() {
  const error = useRouteError();
  if (isRouteErrorResponse(error) && error.status === 404) return <NotFoundPage />;
  return (
    <main style={{ padding: 24, maxWidth: 720, margin: '0 auto' }}>
      <SystemNotice />
      <ProblemNotice error={error} retry={() => window.location.reload()} />
    </main>
  );
}

/** The same in a page that others may frame: it leads nowhere. */
export function FramedError() {
  return <ProblemNotice error={useRouteError()} retry={() => window.location.reload()} />;
}
