import { ActionIcon, Drawer, Group } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { ModalsProvider } from '@mantine/modals';
import { useNotifications } from '@mantine/notifications';
import { IconMenu2 } from '@tabler/icons-react';
import { lazy, Suspense, useEffect, useRef } from 'react';
import { Link, Navigate, Outlet, ScrollRestoration, useLocation, useNavigation } from 'react-router';
import { useMe } from '@/api/useMe';
import { Logo } from '@/components/brand/Logo';
import { AccountMenu } from './AccountMenu';
import { Navigation } from './Navigation';
import { SystemNotice } from './SystemNotice';
import classes from './shell.module.css';

const NotificationList = lazy(() =>
  import('./NotificationList').then((module) => ({ default: module.NotificationList })),
);

/** Their code comes with the first one. */
function Notifications() {
  const { notifications } = useNotifications();
  const wasNeeded = useRef(false);
  wasNeeded.current ||= notifications.length > 0;
  return (
    <Suspense fallback={null}>{wasNeeded.current && <NotificationList position="bottom-right" />}</Suspense>
  );
}

/** Where a new page begins for screen readers and the keyboard, too. The first page keeps its natural focus. */
function useFocusOnNewPage(close: () => void) {
  const { pathname } = useLocation();
  const main = useRef<HTMLElement>(null);
  const lastPath = useRef(pathname);
  useEffect(() => {
    if (lastPath.current === pathname) return;
    lastPath.current = pathname;
    close();
    main.current?.focus({ preventScroll: true });
  }, [pathname, close]);
  return main;
}

/** On narrow screens: a bar, and a drawer with the same navigation. */
function TopBar({ isOpen, open, close }: { isOpen: boolean; open: () => void; close: () => void }) {
  return (
    <>
      <header className={`${classes.topbar} no-print`}>
        <ActionIcon variant="subtle" color="gray" aria-label="Open navigation" onClick={open}>
          <IconMenu2 size={18} />
        </ActionIcon>
        <Link to="/experiments" className={classes.brand}>
          <Logo />
        </Link>
      </header>
      <Drawer opened={isOpen} onClose={close} size={248} title={<Logo />} padding="md">
        <Navigation />
        <AccountMenu />
      </Drawer>
    </>
  );
}

function Sidebar() {
  return (
    <aside className={`${classes.sidebar} no-print`}>
      <Link to="/experiments" className={classes.brand} aria-label="ngxlab, experiments">
        <Logo />
      </Link>
      <Navigation />
      <Group mt="auto" gap={4}>
        <AccountMenu />
      </Group>
    </aside>
  );
}

/** Navigation around every page of a signed-in person, and what opens above the pages: pages without it have no dialogs. */
export function Shell() {
  const { data: me } = useMe();
  const { pathname, search, hash } = useLocation();
  const isLoading = useNavigation().state !== 'idle';
  const [isOpen, { open, close }] = useDisclosure(false);
  const main = useFocusOnNewPage(close);
  const next = encodeURIComponent(pathname + search + hash);
  if (me === null) return <Navigate to={`/login?next=${next}`} replace />;
  if (me?.account.must_change_password) return <Navigate to={`/new-password?next=${next}`} replace />;
  return (
    <ModalsProvider>
      <div className={classes.shell}>
        <a href="#main" className="skip-link">
          Skip to content
        </a>
        <TopBar isOpen={isOpen} open={open} close={close} />
        <Sidebar />
        <main id="main" ref={main} tabIndex={-1} className={classes.main} aria-busy={isLoading}>
          <div className={classes.loadingBar} data-active={isLoading || undefined} />
          <SystemNotice />
          <Outlet />
        </main>
        <ScrollRestoration />
      </div>
      <Notifications />
    </ModalsProvider>
  );
}
